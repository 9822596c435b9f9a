const WAIT_MS_MAX = 15_000;
const STEP_MS = 10;

/** What the specs gave this process. */
export const connection = {
  proxy: process.env['LOOPBACK_PROXY'] ?? '',
  key: process.env['LOOPBACK_KEY'] ?? '',
  secret: process.env['LOOPBACK_SECRET'] ?? '',
  passphrase: process.env['LOOPBACK_PASSPHRASE'] ?? '',
};

/** Waits until a value is there. Throws after 15 s with the name of what is missing. */
export async function until<Value>(what: string, read: () => Value | undefined | false): Promise<Value> {
  for (let waitedMs = 0; waitedMs < WAIT_MS_MAX; waitedMs += STEP_MS) {
    const value = read();
    if (value !== undefined && value !== false) return value;
    await new Promise((resolve) => {
      setTimeout(resolve, STEP_MS);
    });
  }
  throw new Error(`waited 15 s for ${what}`);
}

/** Prints what the client found as the last line, and ends the process with its open sockets. */
export function report(findings: object): never {
  process.stdout.write(`\n${JSON.stringify(findings)}\n`);
  process.exit(0);
}
