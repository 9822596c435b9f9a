import type { StaticFile } from './docs-files.js';
import type { OpenEndpoint } from './endpoint.js';

/** Pages with what they load, and documents: each file at its path. */
export function fileEndpoints(files: readonly StaticFile[]): readonly OpenEndpoint[] {
  return files.map((file) => ({ path: file.path, handle: (call) => call.answerFile(file) }));
}
