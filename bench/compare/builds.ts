import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Measured } from './paired-ratio.js';

/** One side of a comparison, built. */
export interface Build {
  /** Short commit id, or `working tree`. */
  readonly name: string;
  readonly folder: string;
}

const WORKING_TREE = '.';

/** Builds commits in temporary worktrees of a repository and runs their benchmarks. */
export class Builds {
  readonly #repository: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'sluice-compare-'));
  readonly #worktrees: string[] = [];
  /** The running program. It leads a process group with its children. */
  #child: ChildProcess | null = null;
  #isStopped = false;

  constructor(repository: string) {
    this.#repository = repository;
  }

  /** Builds a commit, or the working tree for `.`. Rejects when the commit is unknown or its build fails. */
  async make(ref: string): Promise<Build> {
    if (ref === WORKING_TREE) return this.#built({ name: 'working tree', folder: this.#repository });
    const commit = this.#git('rev-parse', '--verify', '--quiet', `${ref}^{commit}`);
    if (commit === null) throw new Error(`${ref} is not a commit`);
    const folder = join(this.#folder, commit);
    if (!existsSync(folder)) {
      this.#worktrees.push(folder);
      if (this.#git('worktree', 'add', '--detach', folder, commit) === null)
        throw new Error(`git could not add a worktree for ${ref}`);
      const packages = join(this.#repository, 'node_modules');
      if (existsSync(packages)) symlinkSync(packages, join(folder, 'node_modules'));
    }
    return this.#built({ name: commit.slice(0, 8), folder });
  }

  /** Runs a benchmark with --json and returns its figures. Rejects when it fails. */
  async run(build: Build, flags: readonly string[]): Promise<readonly Measured[]> {
    const output = await this.#node(build, ['--expose-gc', 'dist/bench/main.js', ...flags]);
    return output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Measured);
  }

  /** Ends the running program and its children. Later runs reject. */
  stop(): void {
    this.#isStopped = true;
    if (this.#child?.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, 'SIGTERM');
    } catch {
      // It has already ended.
    }
  }

  /** Removes all worktrees and the temporary folder. */
  remove(): void {
    for (const folder of this.#worktrees) this.#git('worktree', 'remove', '--force', folder);
    rmSync(this.#folder, { recursive: true, force: true });
    this.#git('worktree', 'prune');
  }

  async #built(build: Build): Promise<Build> {
    await this.#node(build, ['src/cli/build.js', '--if-needed']);
    return build;
  }

  /** Runs Node until it exits. Resolves with its standard output. */
  #node({ name, folder }: Build, args: readonly string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.#isStopped) return reject(new Error('stopped'));
      const child = spawn(process.execPath, args, {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
      });
      this.#child = child;
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      child.once('error', reject);
      child.once('close', (status) => {
        this.#child = null;
        if (status === 0) resolve(output);
        else reject(new Error(`${args.join(' ')} of ${name} ended with status ${status}`));
      });
    });
  }

  /** Output of a git command; null when it fails. */
  #git(...args: readonly string[]): string | null {
    try {
      const cwd = this.#repository;
      return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    } catch {
      return null;
    }
  }
}
