import type { StaticFile } from './docs-files.js';
import type { OpenEndpoint } from './endpoint.js';

/** The documents and their page, each file at its path. */
export function docsEndpoints(files: readonly StaticFile[]): readonly OpenEndpoint[] {
  return files.map((file) => ({ path: file.path, handle: (call) => call.answerFile(file) }));
}
