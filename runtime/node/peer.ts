import type { IncomingHttpHeaders } from "node:http";

/** The header with the `clientIp` of the client's connection, used on the socket between the two processes. */
export const peerHeader = "x-tributary-peer";
/** The header with the token. A request without the token isn't treated as forwarded by the other process. */
export const tokenHeader = "x-tributary-token";

export interface Peer {
  readonly clientIp: string;
}

interface Connected {
  readonly socket: { readonly remoteAddress?: string | undefined; readonly remotePort?: number | undefined };
}

const peers = new WeakMap<Connected["socket"], Peer>();

/** The address at the other end of the connection. */
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
