import { parentPort, workerData } from 'node:worker_threads';
import { playSession, type SessionOptions } from './session.js';

/** Plays a session on a thread of its own and tells what was told. */
parentPort!.postMessage(playSession(workerData as SessionOptions));
