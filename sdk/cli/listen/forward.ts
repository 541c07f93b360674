import { createHmac, randomBytes } from "node:crypto";
import { green, red } from "../output.ts";
import { request } from "../request.ts";
import type { Event } from "./event.ts";

export interface Target {
  readonly url: string;
  readonly secret: string;
}

export const newSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;

/** The service has the same time limit for its own deliveries. */
const timeoutMs = 20_000;

/** Posts an event once, as the service delivers it, and returns the outcome. Never rejects. */
export async function forward({ url, secret }: Target, event: Event): Promise<string> {
  const body = JSON.stringify(event);
  const timestamp = Math.floor(Date.now() / 1_000);
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signature = createHmac("sha256", key).update(`${event.id}.${timestamp}.${body}`).digest("base64");
  const received = await request(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "webhook-id": event.id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": `v1,${signature}`,
    },
    body,
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!received.isReached) return `${red("✗")} not delivered: ${received.message}`;
  const { status } = received;
  return status >= 200 && status < 300 ? `${green("✓")} ${status}` : `${red("✗")} not accepted: ${status}`;
}
