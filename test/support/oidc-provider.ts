import { createHmac, createPrivateKey, createSign, generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type Configuration, Provider } from "oidc-provider";
import { createSession, keepCookies, type Session } from "../../harness/session.ts";
import { freePort } from "../../scripts/service/ports.ts";

export interface Person {
  readonly sub: string;
  readonly email?: string | undefined;
  readonly email_verified?: boolean | undefined;
  readonly name?: string;
}

export const client = { id: "tributary", secret: "a secret that only the two of them know" } as const;

/** Faults in the provider's responses. */
export interface Faults {
  /** Changes the claims of an ID token, which is signed again with the provider's key. */
  claims?: (claims: Record<string, unknown>) => Record<string, unknown>;
  /** Signs with another key, with the client's secret, or not at all. */
  signature?: "none" | "other" | "secret";
  /** The status of all responses at this path. */
  status?: { readonly path: string; readonly status: number };
  metadata?: (metadata: Record<string, unknown>) => Record<string, unknown>;
}

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const { privateKey: otherKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const jwk = { ...privateKey.export({ format: "jwk" }), kid: "test", use: "sig", alg: "RS256" };

/** Starts a real identity provider on this machine. Faults change its responses. */
export async function startProvider() {
  const people = new Map<string, Person>();
  let faults: Faults = {};
  let handler: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  let calls: string[] = [];
  const server = createServer((request, response) => {
    const { pathname: path } = new URL(request.url ?? "/", "http://localhost");
    calls.push(path);
    if (faults.status?.path === path) {
      response.writeHead(faults.status.status).end();
      return;
    }
    if (path === "/token" && (faults.claims ?? faults.signature) !== undefined) rewriteToken(response, faults);
    if (path.includes("openid-configuration") && faults.metadata) rewriteJson(response, faults.metadata);
    handler?.(request, response);
  });
  // A port that the system chooses could be given to another process while the provider is stopped.
  const port = await freePort();
  const listen = () => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen();
  const issuer = `http://127.0.0.1:${port}`;

  return {
    issuer,
    vars: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: client.id, OIDC_CLIENT_SECRET: client.secret, OIDC_NAME: "Acme" },
    get calls() {
      return calls;
    },
    /** Accepts the services at these addresses as a client. */
    serve: (...urls: readonly string[]) => {
      const provider = new Provider(issuer, configuration(urls, people));
      handler = provider.callback();
      calls = [];
    },
    add: (person: Person) => void people.set(person.sub, person),
    fail: (next: Faults) => {
      faults = next;
    },
    heal: () => {
      faults = {};
    },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
    restart: listen,
    /**
     * Signs a person in at the provider's page, in a new browser. Returns the address to which the provider redirects.
     */
    signIn: (url: string, sub: string) => signInAt(new ProviderBrowser(), url, sub),
    signInWith: signInAt,
    browser: () => new ProviderBrowser(),
  };
}

export type TestProvider = Awaited<ReturnType<typeof startProvider>>;

const configuration = (urls: readonly string[], people: ReadonlyMap<string, Person>): Configuration => ({
  clients: [
    {
      client_id: client.id,
      client_secret: client.secret,
      redirect_uris: urls.map((url) => `${url}/api/auth/oidc/callback`),
      grant_types: ["authorization_code"],
      response_types: ["code"],
    },
  ],
  jwks: { keys: [jwk] },
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
  conformIdTokenClaims: false,
  pkce: { required: () => true },
  cookies: { keys: ["signs the provider's cookies"] },
  features: { devInteractions: { enabled: true } },
  findAccount: (_, sub) => {
    const person = people.get(sub);
    return person && { accountId: sub, claims: () => ({ ...person }) };
  },
});

class ProviderBrowser {
  readonly #cookies = new Map<string, string>();

  async open(url: string, form?: Readonly<Record<string, string>>): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(url, {
      redirect: "manual",
      headers: { cookie },
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
    });
    for (const text of answer.headers.getSetCookie()) {
      const [pair = ""] = text.split(";");
      const name = pair.slice(0, pair.indexOf("="));
      if (/expires=Thu, 01 Jan 1970/i.test(text)) this.#cookies.delete(name);
      else this.#cookies.set(name, pair.slice(name.length + 1));
    }
    return answer;
  }
}

/** Fills in the provider's forms until the provider redirects to the service. */
export async function signInAt(browser: ProviderBrowser, url: string, sub: string): Promise<string> {
  const { origin } = new URL(url);
  let answer = await browser.open(url);
  for (let step = 0; step < 12; step += 1) {
    const location = answer.headers.get("location");
    if (location !== null) {
      const next = new URL(location, origin);
      if (next.origin !== origin) return next.href;
      answer = await browser.open(next.href);
      continue;
    }
    const page = await answer.text();
    const action = /action="([^"]+)"/.exec(page)?.[1];
    if (action === undefined) throw new Error(`the provider shows ${answer.status} ${page.slice(0, 400)}`);
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? "login";
    const form = prompt === "login" ? { prompt, login: sub, password: "x" } : { prompt };
    answer = await browser.open(new URL(action, origin).href, form);
  }
  throw new Error("the provider doesn't lead back");
}

function rewriteBody(response: ServerResponse, change: (text: string) => string): void {
  const end = response.end.bind(response);
  const chunks: Buffer[] = [];
  response.write = ((chunk: string | Buffer) => chunks.push(Buffer.from(chunk)) > 0) as typeof response.write;
  response.end = ((chunk?: string | Buffer) => {
    if (chunk !== undefined) chunks.push(Buffer.from(chunk));
    const text = change(Buffer.concat(chunks).toString());
    response.setHeader("content-length", Buffer.byteLength(text));
    return end(text);
  }) as typeof response.end;
}

const rewriteJson = (response: ServerResponse, change: (json: Record<string, unknown>) => object): void =>
  rewriteBody(response, (text) => JSON.stringify(change(JSON.parse(text))));

function rewriteToken(response: ServerResponse, faults: Faults): void {
  rewriteJson(response, (json) => {
    if (typeof json.id_token !== "string") return json;
    const [header = "", payload = ""] = json.id_token.split(".");
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
    const changed = faults.claims === undefined ? claims : faults.claims(claims);
    return { ...json, id_token: tokenOf(JSON.parse(Buffer.from(header, "base64url").toString()), changed, faults) };
  });
}

function tokenOf(header: object, claims: object, { signature }: Faults): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const alg = signature && { none: "none", secret: "HS256", other: "RS256" }[signature];
  const signed = `${part({ ...header, ...(alg && { alg }) })}.${part(claims)}`;
  if (signature === "none") return `${signed}.`;
  if (signature === "secret")
    return `${signed}.${createHmac("sha256", client.secret).update(signed).digest("base64url")}`;
  return `${signed}.${signatureOf(signed, signature === "other" ? otherKey : privateKey)}`;
}

const signatureOf = (text: string, key: KeyObject): string =>
  createSign("RSA-SHA256")
    .update(text)
    .sign(createPrivateKey(key.export({ type: "pkcs8", format: "pem" })))
    .toString("base64url");

/** A navigation of the session's browser, which doesn't follow redirects. */
export async function navigate(session: Session, url: string, headers: Readonly<Record<string, string>> = {}) {
  const cookie = [...session.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const answer = await fetch(new URL(url, session.url), {
    redirect: "manual",
    headers: { accept: "text/html", "CF-Connecting-IP": session.ip, ...(cookie && { cookie }), ...headers },
  });
  keepCookies(session.cookies, answer.headers.getSetCookie());
  const text = await answer.text();
  return {
    status: answer.status,
    location: answer.headers.get("location"),
    code: /<code>(\w+)<\/code>/.exec(text)?.[1],
    headers: answer.headers,
    text,
  };
}

interface SessionReply {
  readonly session: { id: string; createdAt: string; expiresAt: string; byProvider: boolean };
  readonly user: { id: string; email: string; emailVerified: boolean };
}

export function oidcFixture(provider: TestProvider, url: () => string) {
  const toCallback = async (session: Session, { sub }: Person, path = "/api/auth/oidc"): Promise<string> => {
    const { status, location, text } = await navigate(session, path);
    if (status !== 302 || location === null) throw new Error(`the sign-in doesn't begin: ${status} ${text}`);
    return provider.signIn(location, sub);
  };
  return {
    newPerson: (of: Partial<Person> = {}): Person => {
      const sub = randomUUID();
      const person = { sub, email: `${sub}@people.example`, email_verified: true, name: "Ada", ...of };
      provider.add(person);
      return person;
    },
    newBrowser: () => createSession(url()),
    /** Goes to the provider and signs in there. Returns the address to which the provider redirects. */
    toCallback,
    signIn: async (session: Session, person: Person, path?: string) =>
      navigate(session, await toCallback(session, person, path)),
    userOf: async (session: Session) => (await session.get<SessionReply | null>("/api/auth/get-session")).body,
    /** Links the signed-in user's account to the person. */
    link: async (session: Session, { sub }: Person) => {
      const path = "/api/auth/oidc/link";
      const { body } = await session.post<{ data: { url: string } }>(path, { returnTo: "/app/account" });
      return navigate(session, await provider.signIn(body.data.url, sub));
    },
    /** Has the signed-in user confirm who they are by a new sign-in at the provider. */
    confirm: async (session: Session, { sub }: Person) => {
      const path = "/api/auth/oidc/confirm";
      const { body } = await session.post<{ data: { url: string } }>(path, { returnTo: "/app/account" });
      return navigate(session, await provider.signIn(body.data.url, sub));
    },
  };
}
