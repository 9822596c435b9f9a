import { NO_HANDSHAKE, type OpenSocket } from './stream-socket.js';

/**
 * Connections of a page to the streams. A browser cannot send headers with a handshake: the listen key is part of the
 * address. A connection that is terminated counts as closed at once, because the browser waits for a closing handshake.
 */
export function webSockets(url: URL): OpenSocket {
  return (listenKey, listener) => {
    const address = new URL(url);
    address.protocol = url.protocol.replace('http', 'ws');
    address.searchParams.set('listenKey', listenKey);
    const socket = new WebSocket(address);
    let isEnded = false;
    const end = (code: number): void => {
      if (isEnded) return;
      isEnded = true;
      socket.close();
      listener.closed(code, null);
    };
    socket.addEventListener('open', () => isEnded || listener.opened());
    socket.addEventListener('message', ({ data }) => isEnded || listener.received(String(data)));
    socket.addEventListener('close', ({ code }) => end(code));
    return {
      get isOpen() {
        return !isEnded && socket.readyState === WebSocket.OPEN;
      },
      send: (text) => socket.send(text),
      close: () => socket.close(),
      terminate: () => end(NO_HANDSHAKE),
    };
  };
}
