/** The sources that each directive allows. https://www.w3.org/TR/CSP3/ */
export type Policy = ReadonlyMap<string, readonly string[]>;

export interface Resource {
  readonly url: URL;
  /** The nonce in the script tag. */
  readonly nonce?: string | undefined;
  readonly integrity?: string | undefined;
}

/** Parses a header's or a meta tag's text, which may contain several policies. */
export const parsePolicies = (text: string): Policy[] =>
  text.split(",").map((policy) => {
    const directives = policy.split(";").map((directive) => directive.trim().split(/\s+/));
    // If a policy repeats a directive, the first one counts.
    return new Map(directives.reverse().map(([name = "", ...sources]) => [name.toLowerCase(), sources]));
  });

/** The directive that blocks a resource on a page: the first of `names` that the policy has. */
export function blockedBy(policy: Policy, names: readonly string[], resource: Resource, page: URL): string | undefined {
  const name = names.find((candidate) => policy.has(candidate));
  const sources = name === undefined ? undefined : policy.get(name);
  return sources && !isAllowed(sources, resource, page) ? name : undefined;
}

function isAllowed(sources: readonly string[], { url, nonce, integrity }: Resource, page: URL): boolean {
  if (nonce && sources.includes(`'nonce-${nonce}'`)) return true;
  const hashes = integrity?.split(/\s+/).filter(Boolean) ?? [];
  if (hashes.length > 0 && hashes.every((hash) => sources.includes(`'${hash}'`))) return true;
  if (sources.includes("'strict-dynamic'")) return false;
  return sources.some((source) => isMatch(source.toLowerCase(), url, page));
}

function isMatch(source: string, url: URL, page: URL): boolean {
  if (source === "*") return /^https?:$/.test(url.protocol);
  if (source === "'self'") return url.origin === page.origin;
  if (/^[a-z][a-z0-9+.-]*:$/.test(source)) return isScheme(source, url);
  const [, scheme, host = "", port, path] =
    /^(?:([a-z][a-z0-9+.-]*:)\/\/)?(\*|(?:\*\.)?[^:/']+|\[[^\]]+\])(?::(\d+|\*))?(\/.*)?$/.exec(source) ?? [];
  if (!host || !isScheme(scheme ?? page.protocol, url)) return false;
  const isHost = host === "*" || (host.startsWith("*.") ? url.hostname.endsWith(host.slice(1)) : url.hostname === host);
  return isHost && isPort(port, url) && isPath(path, url);
}

/** A source for plain http also allows https. */
const isScheme = (scheme: string, { protocol }: URL): boolean =>
  protocol === scheme || (scheme === "http:" && protocol === "https:");

const defaultPorts: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

const isPort = (port: string | undefined, url: URL): boolean =>
  port === "*" || (port ?? defaultPorts[url.protocol]) === (url.port || defaultPorts[url.protocol]);

const isPath = (path: string | undefined, { pathname }: URL): boolean =>
  path === undefined || path === "/" || (path.endsWith("/") ? pathname.startsWith(path) : pathname === path);
