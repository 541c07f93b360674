const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** True for an https URL, or an http URL of this machine. */
export function isMailHook(url: string): boolean {
  const { protocol, hostname = "" } = URL.parse(url) ?? {};
  return protocol === "https:" || (protocol === "http:" && loopback.test(hostname));
}
