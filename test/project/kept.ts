import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { parseEnv } from "node:util";
import { expect } from "vitest";
import { browserHeaders, createApi, type Reply } from "../../harness/client.ts";
import { createSession } from "../../harness/session.ts";
import { lockDatabase } from "./started.ts";

/**
 * `secret` texts must appear in no file of a service and in none of its output. `stored` texts must be found, so that
 * the search itself is verified.
 */
export interface Marks {
  /** The secrets by description. */
  readonly secret: Readonly<Record<string, string>>;
  readonly stored: Readonly<Record<string, string>>;
}

const random = () => randomBytes(12).toString("hex");

/** Makes every kind of call, valid and invalid, with and without a reachable database. */
export async function keepBusy(url: string, programId: number, key: string, data: string): Promise<Marks> {
  const secret = {
    "IPv4 address": "203.0.113.199",
    "IPv6 address": `2001:db8:${random().match(/.{4}/g)?.join(":")}`,
    "forwarded address": "198.51.100.231",
    "user agent": `Agent-${random()}`,
    "told user agent": `Told-${random()}`,
    session: `session-${random()}`,
    "email of a lead": `${random()}@mail.example`,
    "email of a failed sign-in": `${random()}@mail.example`,
    "email in a path": `${random()}@path.example`,
    "email in utm_term": `${random()}@utm.example`,
    "title of a page": `Order of ${random()}`,
    "token in a path": `Tok${random()}`,
    "number in a path": "4711081500",
    query: `query-${random()}`,
    "query of a call": `called-${random()}`,
    "additional data": `data-${random()}`,
    "wrong password": `wrong-${random()}`,
    password: `right-${random()}`,
    "wrong key": `svc_1_${randomBytes(32).toString("base64url")}`,
    cookie: `cookie-${random()}`,
    "previous click": `click-${random()}`,
  };
  const stored = { "customer key": `customer-${random()}`, "transaction id": `transaction-${random()}` };
  const headers = {
    ...{ "user-agent": `${browserHeaders["user-agent"]} ${secret["user agent"]}`, cookie: `shop=${secret.cookie}` },
    ...{ referer: `https://shop.example/?q=${secret.query}` },
  };
  // This call is refused, because these headers come over plain http from a caller that isn't the trusted proxy.
  const forwarded = {
    ...{ "x-forwarded-for": secret["forwarded address"], "x-real-ip": secret["forwarded address"] },
    ...{ forwarded: `for=${secret["forwarded address"]}`, ...headers },
  };
  const path = `/welcome/${secret["email in a path"]}/${secret["token in a path"]}/${secret["number in a path"]}`;
  const page = `https://shop.example${path}?aff=DEMO&token=${secret.query}&utm_term=${secret["email in utm_term"]}`;
  const apis = [secret["IPv4 address"], secret["IPv6 address"]].map((ip) => createApi(url, ip));
  const session = createSession(url, secret["IPv4 address"]);
  const account = { name: "N", email: `${random()}@people.example`, password: secret.password };

  const visit = (api: (typeof apis)[number]) =>
    api.click(
      {
        ...{ program_id: programId, affiliate_url: page, page_url: page, referrer_url: page },
        ...{ page_title: secret["title of a page"], session_id: secret.session },
        ...{ existing_click_id: secret["previous click"], additional_data: { note: secret["additional data"] } },
      },
      { browser: true, headers },
    );
  const guess = { email: secret["email of a failed sign-in"], password: secret["wrong password"] };
  const everything = async (): Promise<readonly Reply<unknown>[]> => {
    const callsOf = async (api: (typeof apis)[number]): Promise<readonly Reply<unknown>[]> => {
      const told = { program_id: programId, affiliate_url: page, user_agent: secret["told user agent"] };
      const lead = { customer_key: stored["customer key"], email: secret["email of a lead"], page_url: page };
      const sale = { transaction_id: stored["transaction id"], amount_cents: 900, ...lead };
      const refund = { transaction_id: stored["transaction id"], refund_id: "r", refund_amount_cents: 100 };
      const asked = (method: string, at: string) =>
        api.request(method, `${at}?q=${secret["query of a call"]}`, { headers, key, checked: false });
      const [clicked] = await Promise.all([visit(api), api.click(told)]);
      const { click_id = "" } = clicked.body;
      return [
        clicked,
        ...(await Promise.all([
          api.lead({ ...lead, click_id, session_id: secret.session }, { key }),
          api.lead({ ...lead, click_id, customer_key: random() }, { browser: true, headers }),
          api.sale({ ...sale, additional_data: { note: secret["additional data"] } }, { key, headers }),
          api.refund(refund, { key, headers }),
          api.refund(refund, { key, headers: forwarded }),
          api.sale({ ...sale, amount_cents: -1 }, { key }),
          api.sale(sale, { key: secret["wrong key"] }),
          api.readiness({ key: secret["wrong key"] }),
          ...[asked("GET", "/api/v1/programs/me/readiness"), asked("GET", "/api/v1/nothing"), asked("PUT", "/readyz")],
          ...[asked("GET", "/js/svc-tracker.js"), asked("GET", "/app/"), asked("GET", "/nothing")],
        ])),
      ];
    };
    const signIn = session.post("/api/auth/sign-in/email", guess, { headers });
    return [...(await Promise.all(apis.map(callsOf))).flat(), await signIn];
  };

  const replies = [...(await everything())];
  expect((await session.post("/api/auth/sign-up/email", account, { headers })).status).toBe(200);
  expect((await session.get(`/api/auth/get-session?q=${secret["query of a call"]}`)).status).toBe(200);
  replies.push(...(await withoutWrites(data, everything)));
  const statuses = replies.map(({ status }) => status);
  expect(statuses).toEqual(expect.arrayContaining([200, 400, 401, 403, 404, 405, 503]));
  const [cookie = ""] = session.cookies.values();
  const [, signature = ""] = decodeURIComponent(cookie).split(".");
  expect(signature).not.toBe("");
  return { secret: { ...secret, "signature of a session": signature, "program key": key }, stored };
}

async function withoutWrites<T>(data: string, run: () => Promise<T>): Promise<T> {
  const unlock = await lockDatabase(data);
  try {
    return await run();
  } finally {
    await unlock();
  }
}

/** Files that contain secrets on purpose, readable only by their owner. */
const secretFiles = ["demo.json", "dev.vars", "secrets.env"];

/** Searches each file below a folder, and the printed text, for every mark. Fails with each place of a secret. */
export async function expectKeptNowhere(
  data: string,
  printed: string,
  { secret, stored }: Marks,
  secretsFile = "dev.vars",
): Promise<void> {
  const entries = await readdir(data, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const secrets = parseEnv(await readFile(join(data, secretsFile), "utf8"));
  const marks = Object.entries({ ...secret, ...secrets }).flatMap(([what, text]) =>
    text ? [[what, text] as const] : [],
  );
  expect(marks.length).toBeGreaterThan(Object.keys(secret).length);
  const leaks = marks.filter(([what, text]) => what !== "program key" && printed.includes(text)).map(([what]) => what);
  expect(leaks, "printed").toEqual([]);

  const found: string[] = [];
  const missing = new Map(Object.entries(stored));
  for (const file of files) {
    const name = relative(data, file);
    // A log or journal may be deleted during the search.
    const bytes = await readFile(file).catch(() => Buffer.alloc(0));
    for (const [what, text] of missing) if (bytes.includes(text)) missing.delete(what);
    if (secretFiles.includes(name)) continue;
    for (const [what, text] of marks) if (bytes.includes(text)) found.push(`${what}: ${name}`);
  }
  expect(found).toEqual([]);
  expect([...missing.keys()], "stored, but not found").toEqual([]);
}
