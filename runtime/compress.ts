const isText = /^(?:text\/|application\/(?:javascript|json)|image\/svg)/;
/**
 * Paths whose responses aren't compressed. The length of a compressed API response could reveal a secret next to text
 * that the caller chose. Responses of health checks are too short.
 */
const isPlain = /^\/(?:api(?:\/|$)|healthz$|readyz$)/;

/**
 * Compresses pages and files, as Cloudflare does. This sets the headers, and the runtime then encodes the body as they
 * state.
 */
export function compress({ method, url, headers }: Request, answer: Response): Response {
  const isWanted = method === "GET" && answer.status === 200 && /\bgzip\b/.test(headers.get("accept-encoding") ?? "");
  if (!isWanted || answer.headers.has("content-encoding")) return answer;
  if (!isText.test(answer.headers.get("content-type") ?? "") || isPlain.test(new URL(url).pathname)) return answer;
  const compressed = new Response(answer.body, answer);
  compressed.headers.set("content-encoding", "gzip");
  compressed.headers.append("vary", "accept-encoding");
  compressed.headers.delete("content-length");
  const etag = answer.headers.get("etag");
  if (etag !== null) compressed.headers.set("etag", etag.replace(/^"/, 'W/"'));
  return compressed;
}
