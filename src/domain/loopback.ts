const hosts = ["localhost", "127.0.0.1", "[::1]"];

/** True if the URL's host is this machine, for any protocol. */
export const isLoopback = ({ hostname }: URL): boolean => hosts.includes(hostname);

/** True if no third party can read what is sent to the URL: it is https, or http on this machine. */
export const isPrivateUrl = (url: URL | null): url is URL =>
  url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url));
