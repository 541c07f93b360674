import * as oauth from "oauth4webapi";
import { isPrivateUrl } from "#domain/loopback.ts";
import type { OidcSettings, ProvedIdentity } from "#domain/oidc.ts";
import { type Claims, identityOf, isSubject } from "#domain/oidc-claims.ts";
import { Metadata, timeoutMs } from "./oidc-metadata.ts";

// This file is loaded when the first person signs in at the identity provider.

type Fetch = (url: string, init: oauth.CustomFetchOptions<string, URLSearchParams | undefined>) => Promise<Response>;

export interface ProviderParts {
  readonly settings: OidcSettings;
  /** Defaults to `fetch`. */
  readonly network: Pick<Fetcher, "fetch"> | undefined;
}

/** Random values of one sign-in. */
export interface Secrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** `reason` is for the operator's log. It contains nothing that the browser sent, except an error code. */
export type ProviderResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly isUnavailable: boolean; readonly reason: string };

const maxBytes = 512 * 1_024;
const clockToleranceSeconds = 60;
const scope = "openid email profile";
/** Sent as `max_age`, because a provider needn't send `auth_time` without it. */
const anyAgeSeconds = 365 * 24 * 3_600;

export const newSecrets = (): Secrets => ({
  state: oauth.generateRandomState(),
  nonce: oauth.generateRandomNonce(),
  verifier: oauth.generateRandomCodeVerifier(),
});

/** The provider can't be reached, reports that it can't answer at the moment, or sends too much. */
class Unavailable extends Error {}

/** Reads the whole answer here, with a limit, because a provider may never end it. */
async function readAll(answer: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (answer.body === null) return new Uint8Array();
  const reader: ReadableStreamDefaultReader<Uint8Array> = answer.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks);
    size += value.length;
    if (size > maxBytes) {
      await reader.cancel();
      throw new Unavailable("an answer is larger than 512 KiB");
    }
    chunks.push(value);
  }
}

const isPassing = (status: number): boolean => status >= 500 || status === 429 || status === 408;

function fetchBy(network: ProviderParts["network"]): Fetch {
  return async (url, { method, headers, body }) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const sent = { ...headers, "user-agent": "Tributary" };
    // workerd refuses a GET with a body, even an empty one.
    const call = { method, headers: sent, redirect: "manual", signal, ...(body && { body: String(body) }) } as const;
    let answer: Response;
    let bytes: Uint8Array;
    try {
      answer = await (network === undefined ? fetch(url, call) : network.fetch(url, call));
      bytes = await readAll(answer);
    } catch (error) {
      throw error instanceof Unavailable ? error : new Unavailable(messageOf(error));
    }
    const { status } = answer;
    if (isPassing(status)) throw new Unavailable(`an answer has the status ${status}`);
    return new Response(status === 204 || status === 304 ? null : bytes.slice(), { status, headers: answer.headers });
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const optionsOf = ({ settings, network }: ProviderParts) => ({
  [oauth.customFetch]: fetchBy(network),
  // An issuer with http is always on this machine.
  [oauth.allowInsecureRequests]: new URL(settings.issuer).protocol === "http:",
});

const clientOf = ({ clientId }: OidcSettings): oauth.Client => ({
  client_id: clientId,
  [oauth.clockTolerance]: clockToleranceSeconds,
});

const metadata = new WeakMap<OidcSettings, Metadata>();

function metadataOf(parts: ProviderParts): Promise<oauth.AuthorizationServer> {
  const { settings } = parts;
  const known = metadata.get(settings) ?? new Metadata();
  metadata.set(settings, known);
  return known.read(async () => {
    const issuer = new URL(settings.issuer);
    const answer = await oauth.discoveryRequest(issuer, optionsOf(parts));
    return oauth.processDiscoveryResponse(issuer, answer);
  });
}

/** The method by which the client authenticates. Basic is the standard's default. */
function authenticationOf({ clientSecret }: OidcSettings, server: oauth.AuthorizationServer): oauth.ClientAuth {
  const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return methods.includes("client_secret_basic")
    ? oauth.ClientSecretBasic(clientSecret)
    : oauth.ClientSecretPost(clientSecret);
}

interface Asked extends Secrets {
  readonly redirectUri: string;
}

/** The address of the provider's sign-in page. With `isAgain`, the provider must check again who the person is. */
export function authorizationUrl(
  parts: ProviderParts,
  { state, nonce, verifier, redirectUri, isAgain }: Asked & { readonly isAgain: boolean },
): Promise<ProviderResult<string>> {
  return attempted(async () => {
    const { authorization_endpoint: endpoint } = await metadataOf(parts);
    const url = endpoint === undefined ? null : URL.parse(endpoint);
    if (!isPrivateUrl(url)) {
      throw new Error("the provider has no authorization_endpoint over https");
    }
    const parameters = {
      client_id: parts.settings.clientId,
      redirect_uri: redirectUri,
      response_type: "code",
      scope,
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      max_age: String(isAgain ? 0 : anyAgeSeconds),
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  });
}

/** Exchanges the code that the provider's redirect contains. */
export function redeem(
  parts: ProviderParts,
  { state, nonce, verifier, redirectUri }: Asked,
  callback: URLSearchParams,
): Promise<ProviderResult<ProvedIdentity>> {
  return attempted(async () => {
    const { settings } = parts;
    const server = await metadataOf(parts);
    const client = clientOf(settings);
    const options = optionsOf(parts);
    const parameters = oauth.validateAuthResponse(server, client, callback, state);
    const authentication = authenticationOf(settings, server);
    const answer = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      parameters,
      redirectUri,
      verifier,
      options,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    await oauth.validateApplicationLevelSignature(server, answer, options);
    const token = oauth.getValidatedIdTokenClaims(tokens);
    if (token === undefined) throw new Error("the answer has no ID token");
    if (!isSubject(token.sub)) throw new Error("the subject of the ID token is invalid");
    const claims = await withUserInfo(server, { client, options, token, accessToken: tokens.access_token });
    return identityOf(token.sub, claims, settings);
  });
}

interface Proved {
  readonly client: oauth.Client;
  readonly options: ReturnType<typeof optionsOf>;
  readonly token: oauth.IDToken;
  readonly accessToken: string;
}

/**
 * Adds the claims of the userinfo endpoint, because some providers send the email address only there. Only the ID token
 * says how and when the person was checked.
 */
async function withUserInfo(
  server: oauth.AuthorizationServer,
  { client, options, token, accessToken }: Proved,
): Promise<Claims> {
  if (token.email !== undefined || server.userinfo_endpoint === undefined) return token;
  const answer = await oauth.userInfoRequest(server, client, accessToken, options);
  const { email, email_verified, name } = await oauth.processUserInfoResponse(server, client, token.sub, answer);
  return { name, ...token, email, email_verified };
}

async function attempted<T>(work: () => Promise<T>): Promise<ProviderResult<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    return { ok: false, isUnavailable: isUnavailable(error), reason: reasonOf(error) };
  }
}

const passing = ["temporarily_unavailable", "server_error"];

const isUnavailable = (error: unknown): boolean =>
  error instanceof Unavailable || (error instanceof oauth.AuthorizationResponseError && passing.includes(error.error));

/** The library's messages have no values. Of an error response, only a code of the standard's form is logged. */
function reasonOf(error: unknown): string {
  if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError) {
    return /^[a-z_]{1,60}$/.test(error.error) ? `${error.message}: ${error.error}` : error.message;
  }
  return messageOf(error);
}
