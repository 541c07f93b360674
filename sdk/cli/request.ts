import { version } from "../package.json";

export interface Received {
  readonly isReached: true;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The address that answered, which differs from the one asked if redirects are followed. */
  readonly url: string;
}

export interface NotReached {
  readonly isReached: false;
  readonly message: string;
}

const timeoutMs = 15_000;

/** Sends once, and follows no redirect unless `init` allows it. Never rejects. */
export async function request(url: string, init: RequestInit = {}): Promise<Received | NotReached> {
  const headers = { "user-agent": `tributary-sdk/${version}`, ...init.headers };
  try {
    // Following a redirect would turn a call into a GET, or send the key elsewhere.
    const response = await fetch(url, {
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
      ...init,
      headers,
    });
    const text = await response.text();
    return { isReached: true, status: response.status, headers: response.headers, text, url: response.url };
  } catch (error) {
    return { isReached: false, message: `${url}: ${reasonOf(error)}` };
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = Object(error) as { message?: string; cause?: { message?: string; code?: string } };
  // If several addresses were tried, the error's cause has a code and no message.
  return [message, cause?.message || cause?.code].filter(Boolean).join(": ");
}
