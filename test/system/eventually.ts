const WAIT_MS = 20_000;
const POLL_MS = 20;

/** Asks again and again until the answer is as wanted, and resolves with it; rejects with the last one when it never is. */
export async function eventually<Answer>(
  ask: () => Promise<Answer> | Answer,
  isWanted: (answer: Answer) => boolean,
  waitMs = WAIT_MS,
): Promise<Answer> {
  const endMs = Date.now() + waitMs;
  for (;;) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    if (Date.now() > endMs) throw new Error(`not within ${waitMs} ms; the last answer: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
