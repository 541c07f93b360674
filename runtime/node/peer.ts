import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** On the socket between the two processes: the address and port of the client's connection. */
export const peerHeader = "x-tributary-peer";
/** Without it, a request on that socket is of nobody. */
export const tokenHeader = "x-tributary-token";

export interface Peer {
  readonly clientIp: string;
}

const peers = new WeakMap<Socket, Peer>();

const peerAt = (address: string, port: string | number): Peer => ({
  clientIp: address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`,
});

/** The other end of the connection. */
export function connectedPeer({ socket }: IncomingMessage): Peer {
  const known = peers.get(socket);
  if (known !== undefined) return known;
  const peer = peerAt(socket.remoteAddress ?? "", socket.remotePort ?? 0);
  peers.set(socket, peer);
  return peer;
}

/** As the process that passed the request on says. Undefined if it wasn't that one. */
export function toldPeer({ headers }: IncomingMessage, token: string): Peer | undefined {
  if (headers[tokenHeader] !== token) return undefined;
  const [address = "", port = ""] = String(headers[peerHeader] ?? "").split(" ");
  return peerAt(address, port);
}
