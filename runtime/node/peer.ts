import type { IncomingHttpHeaders } from "node:http";

/** On the socket between the two processes: the `clientIp` of the client's connection. */
export const peerHeader = "x-tributary-peer";
/** Without it, a request on that socket has no peer. */
export const tokenHeader = "x-tributary-token";

export interface Peer {
  readonly clientIp: string;
}

interface Connected {
  readonly socket: { readonly remoteAddress?: string | undefined; readonly remotePort?: number | undefined };
}

const peers = new WeakMap<Connected["socket"], Peer>();

/** The other end of the connection. */
export function connectedPeer({ socket }: Connected): Peer {
  const known = peers.get(socket);
  if (known !== undefined) return known;
  const { remoteAddress = "", remotePort = 0 } = socket;
  const peer = {
    clientIp: remoteAddress.includes(":") ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`,
  };
  peers.set(socket, peer);
  return peer;
}

/** The peer that the forwarding process reports. Undefined if another process sent the request. */
export function toldPeer({ headers }: { readonly headers: IncomingHttpHeaders }, token: string): Peer | undefined {
  return headers[tokenHeader] === token ? { clientIp: String(headers[peerHeader] ?? "") } : undefined;
}
