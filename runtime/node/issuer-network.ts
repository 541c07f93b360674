import { anyAddress, type Call, type NetworkParts, networkOf } from "./network.ts";

const maxLength = 512 * 1_024;
/** Members of the provider's metadata with URLs that the service calls. */
const endpoints = ["token_endpoint", "jwks_uri", "userinfo_endpoint"] as const;

/** Hosts of the endpoints in the provider's metadata. */
function hostsIn(metadata: string): readonly string[] {
  const parsed: unknown = JSON.parse(metadata);
  return endpoints.flatMap((name) => URL.parse(String(Object(parsed)[name]))?.host ?? []);
}

async function textOf({ body }: Response): Promise<string> {
  let text = "";
  for await (const chunk of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.length > maxLength) throw new Error("the provider's metadata is too large");
  }
  return text;
}

/** A network that reaches only the issuer's host, and the hosts that the issuer's metadata names for its endpoints. */
export function issuerNetworkOf(issuer: string, parts: NetworkParts = {}) {
  const network = networkOf(anyAddress, parts);
  const own = new URL(issuer);
  const metadataUrl = `${own.href.replace(/\/$/, "")}/.well-known/openid-configuration`;
  let hosts: readonly string[] = [];

  async function fetchMetadata(call: Call): Promise<Response> {
    const answer = await network.fetch(metadataUrl, call);
    const text = await textOf(answer);
    if (answer.ok) hosts = hostsIn(text);
    return new Response(text, { status: answer.status, headers: answer.headers });
  }

  return {
    async fetch(url: string, call: Call): Promise<Response> {
      if (url === metadataUrl) return fetchMetadata(call);
      const { host } = new URL(url);
      if (host !== own.host && !hosts.includes(host)) throw new Error("the host isn't the identity provider's");
      return network.fetch(url, call);
    },
  };
}
