import { randomUUID } from "node:crypto";
import { createApi, type Json, type Reply, type RequestOptions, uniqueIp } from "./client.ts";

export interface SessionOptions extends Omit<RequestOptions, "body"> {
  readonly body?: Json | undefined;
}

/** A simulated browser on the service's origin. It keeps cookies, and sends Origin with writes. */
export interface Session {
  readonly url: string;
  readonly ip: string;
  readonly cookies: Map<string, string>;
  get<Body = Record<string, unknown>>(path: string, options?: SessionOptions): Promise<Reply<Body>>;
  post<Body = Record<string, unknown>>(path: string, body?: Json, options?: SessionOptions): Promise<Reply<Body>>;
  patch<Body = Record<string, unknown>>(path: string, body?: Json, options?: SessionOptions): Promise<Reply<Body>>;
  put<Body = Record<string, unknown>>(path: string, body?: Json, options?: SessionOptions): Promise<Reply<Body>>;
  delete<Body = Record<string, unknown>>(path: string, options?: SessionOptions): Promise<Reply<Body>>;
}

export function createSession(url: string, ip = uniqueIp()): Session {
  const api = createApi(url, ip);
  const cookies = new Map<string, string>();
  const send = async <Body>(method: string, path: string, options: SessionOptions = {}): Promise<Reply<Body>> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const written = method === "GET" ? {} : { origin: url, "content-type": "application/json" };
    const headers = { ...(cookie === "" ? {} : { cookie }), ...written, ...options.headers };
    const reply = await api.request<Body>(method, path, { ...options, headers });
    keepCookies(cookies, reply.headers.getSetCookie());
    return reply;
  };
  return {
    url,
    ip,
    cookies,
    get: (path, options) => send("GET", path, options),
    post: (path, body, options) => send("POST", path, { ...options, body }),
    patch: (path, body, options) => send("PATCH", path, { ...options, body }),
    put: (path, body, options) => send("PUT", path, { ...options, body }),
    delete: (path, options) => send("DELETE", path, options),
  };
}

export function keepCookies(cookies: Map<string, string>, set: readonly string[]): void {
  for (const text of set) {
    const [pair = "", ...attributes] = text.split("; ");
    const name = pair.slice(0, pair.indexOf("="));
    if (attributes.includes("Max-Age=0")) cookies.delete(name);
    else cookies.set(name, pair.slice(name.length + 1));
  }
}

export interface User extends Session {
  readonly userId: string;
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

export async function signUp(
  url: string,
  given: { name?: string; email?: string; invitation?: string } = {},
): Promise<User> {
  const session = createSession(url);
  const account = {
    name: given.name ?? "Ada Lovelace",
    email: given.email ?? `${randomUUID()}@people.example`,
    password: randomUUID(),
  };
  const { invitation } = given;
  const { status, text, body } = await session.post<{ user: { id: string } }>("/api/auth/sign-up/email", {
    ...account,
    ...(invitation === undefined ? {} : { invitation }),
  });
  if (status !== 200) throw new Error(`nobody could sign up: ${text}`);
  return { ...session, ...account, userId: body.user.id };
}
