const hosts = ["localhost", "127.0.0.1", "[::1]"];

/** True for a URL of this machine, whatever its protocol. */
export const isLoopback = ({ hostname }: URL): boolean => hosts.includes(hostname);

/** True for https, and for http on this machine, because no network transports what is sent there. */
export const isPrivateUrl = (url: URL | null): url is URL =>
  url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url));
