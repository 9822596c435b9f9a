export { attachStream, type StreamServer } from './server.js';
export { SYSTEM_TIMERS } from './system-timers.js';
