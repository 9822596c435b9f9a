import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { faultySource, type Mutation } from './list.js';

/** A copy of the compiled program in which one file at a time has a planted fault. */
export class ScratchCopy {
  readonly #root: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'sluice-mutations-'));

  /** `root`: the compiled repository. */
  constructor(root: string) {
    this.#root = root;
    mkdirSync(this.#folder, { recursive: true });
    for (const part of ['dist', 'package.json'])
      cpSync(join(root, part), join(this.#folder, part), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(this.#folder, 'node_modules'));
  }

  /** Returns the path of a compiled file. */
  path(file: string): string {
    return join(this.#folder, 'dist', file.replace(/\.ts$/, '.js'));
  }

  plant(mutation: Mutation): void {
    const target = this.path(mutation.file);
    const { outputText } = ts.transpileModule(faultySource(this.#root, mutation), {
      compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
    });
    unlinkSync(target);
    writeFileSync(target, outputText);
  }

  restore({ file }: Mutation): void {
    cpSync(join(this.#root, 'dist', file.replace(/\.ts$/, '.js')), this.path(file));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
