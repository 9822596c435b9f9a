import { parentPort, workerData } from 'node:worker_threads';
import { playSession, type SessionOptions } from './session.js';

/** Runs a session on its own thread and posts its record. */
parentPort!.postMessage(playSession(workerData as SessionOptions));
