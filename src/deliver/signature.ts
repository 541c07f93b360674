/**
 * A secret as in https://www.standardwebhooks.com is `whsec_` and base64. Any other secret is used as its UTF-8 bytes.
 */
const keyBytes = (secret: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret));

async function signatureOf(secret: string, text: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", keyBytes(secret), algorithm, false, ["sign"]);
  const signature = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text));
  return `v1,${Buffer.from(signature).toString("base64")}`;
}

export interface Message {
  /** The message's id. It is the same for each attempt. */
  readonly id: string;
  readonly body: string;
}

/**
 * Headers by which the receiver verifies the sender, with a signature for each secret. `at` is the attempt's instant
 * (ms).
 */
export async function signedHeaders(
  { id, body }: Message,
  secrets: readonly string[],
  at: number,
): Promise<Readonly<Record<string, string>>> {
  const timestamp = String(Math.floor(at / 1_000));
  const signatures = await Promise.all(secrets.map((secret) => signatureOf(secret, `${id}.${timestamp}.${body}`)));
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
