import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { beforeAll, afterAll, describe, expect, it } from 'vitest';
import type { ServiceRun } from '../system/service-run.js';
import { ROOT } from '../system/service-run.js';
import { Site } from '../system/site.js';
import { copiesOf, type Stage, stagesOf, textsOf } from './dockerfile.js';

/*
 * No container is built here. The test carries out the COPY instructions in plain folders, and starts the service in
 * the folder of the last stage as the user of the image.
 *
 * The RUN instructions of the first two stages install packages and take a minute. SLUICE_TEST_IMAGE=full runs them.
 * Otherwise the folders get the output of the project's own build and the same packages.
 */

const FOLDER = join(ROOT, 'src/operate');
const IS_FULL = process.env['SLUICE_TEST_IMAGE'] === 'full';
const USER = 10_001;

const [build, packages, image] = stagesOf(readFileSync(join(FOLDER, 'Dockerfile'), 'utf8')) as [Stage, Stage, Stage];

/** Runs a command in a folder. Returns its output. */
function sh(command: string, cwd: string): string {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd, encoding: 'utf8' });
  expect([command, status, status === 0 ? '' : stdout + stderr]).toEqual([command, 0, '']);
  return stdout;
}

describe('the Dockerfile', () => {
  it('copies only files that exist and that are sent to the build', () => {
    const sent = readFileSync(join(FOLDER, 'Dockerfile.dockerignore'), 'utf8').split('\n');
    const sources = [build, packages, image].flatMap(copiesOf).filter(({ from }) => from === null);
    expect(sources).not.toEqual([]);
    for (const source of sources.flatMap((copy) => copy.sources)) {
      expect([source, existsSync(join(ROOT, source))]).toEqual([source, true]);
      expect(sent).toContain(`!${source}`);
    }
  });

  it('names each base image by digest, and Node in the version that the service accepts', () => {
    for (const { base } of [build, packages, image]) expect(base).toMatch(/^\S+:\S+@sha256:[0-9a-f]{64}$/);
    const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { engines: { node: string } };
    const version = engines.node.replace('>=', '');
    expect([build.base, packages.base]).toEqual([build.base, build.base]);
    expect(build.base).toContain(`node:${version}-bookworm-slim@`);
  });

  it('has a last stage without npm, which runs as a user and keeps its data in a volume', () => {
    expect(image.base).toMatch(/^debian:bookworm-slim@/);
    expect(image.instructions.filter(({ text }) => /\b(npm|apt-get|gcc)\b/.test(text))).toEqual([]);
    expect(textsOf(image, 'USER')).toEqual([`${USER}:${USER}`]);
    expect(textsOf(image, 'VOLUME')).toEqual(['/data']);
    expect(textsOf(image, 'STOPSIGNAL')).toEqual(['SIGTERM']);
  });
});

describe('the folder of the last stage', () => {
  const site = new Site();
  const folderOf = (stage: Stage): string => join(site.folder, stage.name === '' ? 'image' : stage.name);
  const dataDir = join(site.folder, 'volume');
  let run: ServiceRun;
  let port: number;

  /** A path of a stage in the folders of the test. `/build/src` is `src` of the folder `build`. */
  const placeOf = (path: string): string => join(site.folder, path);

  function copy(stage: Stage): void {
    for (const { from, sources, target } of copiesOf(stage)) {
      // The program of Node is on this machine.
      if (target === '/usr/local/bin/node') continue;
      for (const source of sources) {
        const place = from === null ? join(ROOT, source) : placeOf(source);
        const isIntoFolder = target.endsWith('/') && statSync(place).isFile();
        const name = isIntoFolder ? basename(source) : '';
        cpSync(place, join(folderOf(stage), target, name), { recursive: true, verbatimSymlinks: true });
      }
    }
  }

  /** The packages of the running service, from the packages of this project. */
  function copyPackages(): void {
    const listed = sh('npm ls --omit=dev --all --parseable', ROOT).trim().split('\n');
    for (const place of listed.filter((path) => path.includes('/node_modules/')))
      cpSync(place, join(folderOf(packages), relative(ROOT, place)), { recursive: true, verbatimSymlinks: true });
  }

  /** Runs an instruction in the form of JSON in the image: as its user, where this process may choose the user. */
  function command(instruction: string): readonly string[] {
    const args = JSON.parse(instruction.slice(instruction.indexOf('['))) as string[];
    const asUser = ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups'];
    return ['sh', '-c', 'cd "$0" && exec "$@"', folderOf(image), ...(process.getuid?.() === 0 ? asUser : []), ...args];
  }

  beforeAll(async () => {
    for (const stage of [build, packages]) {
      mkdirSync(folderOf(stage), { recursive: true });
      copy(stage);
      if (IS_FULL) for (const text of textsOf(stage, 'RUN')) sh(text, folderOf(stage));
    }
    if (!IS_FULL) {
      cpSync(join(ROOT, 'dist'), join(folderOf(build), 'dist'), { recursive: true });
      copyPackages();
    }
    copy(image);
    mkdirSync(dataDir, { mode: 0o700 });
    chmodSync(site.folder, 0o755);
    if (process.getuid?.() === 0) chownSync(dataDir, USER, USER);
    const env = Object.fromEntries(
      (textsOf(image, 'ENV')[0] ?? '').split(' ').map((one) => one.split('=') as [string, string]),
    );
    const here = { SLUICE_HOST: '127.0.0.1', SLUICE_PORT: '0', SLUICE_DATA_DIR: dataDir, SLUICE_SHARDS: '1' };
    const [entry = ''] = textsOf(image, 'ENTRYPOINT');
    run = site.start({ env: { ...env, ...here }, command: command(entry) as [string, ...string[]] });
    port = await run.ready();
  });
  afterAll(() => site.close());

  it('serves, and the health check says so', async () => {
    const [check = ''] = textsOf(image, 'HEALTHCHECK');
    const [program = '', ...args] = command(check.replace('127.0.0.1:8080', `127.0.0.1:${port}`));
    expect(spawnSync(program, args).status).toBe(0);
    expect((await fetch(`http://127.0.0.1:${port}/console`)).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}/docs`)).status).toBe(200);
    expect(statSync(join(dataDir, 'journal')).uid).toBe(process.getuid?.() === 0 ? USER : process.getuid?.());
  });

  it('has the command line', () => {
    const args = ['node', 'src/cli/sluice.js', 'keys', 'create', '--account', 'desk', '--json'];
    const [program = '', ...rest] = command(JSON.stringify(args));
    const { stdout } = spawnSync(program, rest, {
      encoding: 'utf8',
      env: { ...process.env, SLUICE_DATA_DIR: dataDir },
    });
    expect(JSON.parse(stdout)).toMatchObject({ account: 'desk' });
  });

  it('ends at SIGTERM with status 0, and the health check fails then', async () => {
    expect(await run.stop()).toEqual({ status: 0, signal: null });
    const [check = ''] = textsOf(image, 'HEALTHCHECK');
    const [program = '', ...args] = command(check.replace('127.0.0.1:8080', `127.0.0.1:${port}`));
    expect(spawnSync(program, args).status).toBe(1);
  });
});
