import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import * as esbuild from "esbuild";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { node, root } from "../../scripts/root.ts";
import { limitsGzipBytes, type Sizes } from "../../sdk/build.ts";
import { sampled } from "../support/breadth.ts";
import { contentsOf } from "../support/clone.ts";
import { type Integrator, newIntegrator } from "../support/integrator.ts";
import { createProgramFixture } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";
import { quickCompiler } from "../support/type-faults.ts";

const run = promisify(execFile);
const sdk = inject("sdk");
const { sizes } = sdk;

let integrator: Integrator;
/** A project in which only the package is installed. */
let project: string;

beforeAll(async () => {
  integrator = await newIntegrator();
  ({ project } = integrator);
  await integrator.shell(`npm install --allow-remote=root ${sharedService.url}/${sdk.file}`);
  return integrator.dispose;
});

async function file(name: string, text: string): Promise<string> {
  const path = join(project, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

const entries = Object.keys(limitsGzipBytes) as (keyof Sizes)[];

test.each(entries)("%s is within its size limit", (entry) => {
  expect(sizes[entry]).toBeGreaterThan(300);
  expect(sizes[entry]).toBeLessThanOrEqual(limitsGzipBytes[entry]);
});

test("the package contains the built files as npm packs them, and has no dependencies", async () => {
  const installed = join(project, "node_modules/tributary-sdk");
  const files = [...(await contentsOf(installed)).keys()].toSorted();
  const built = entries.flatMap((entry) => ["js", "cjs", "d.ts", "d.cts"].map((kind) => `dist/${entry}.${kind}`));
  const others = ["LICENSE", "README.md", "bin.js", "package.json"];
  expect(files).toEqual(expect.arrayContaining([...others, "dist/cli.js", ...built]));
  expect(files.filter((path) => !path.startsWith("dist/"))).toEqual(others);
  const stdout = await integrator.shell("npm pack --dry-run --json", { cwd: installed });
  const [packed] = Object.values(JSON.parse(stdout) as Record<string, { files: { path: string }[] }>);
  expect(packed?.files.map(({ path }) => path).toSorted()).toEqual(files);

  const manifest = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
  const source = JSON.parse(await readFile(join(root, "sdk/package.json"), "utf8"));
  expect(manifest).toEqual({ ...source, version: sdk.version });
  expect(sdk.version).toMatch(/^\d+\.\d+\.\d+(-dev-[0-9a-f]{12})?$/);
  expect(sdk.version.startsWith(source.version)).toBe(true);
  const lock = JSON.parse(await readFile(join(project, "package-lock.json"), "utf8"));
  expect(Object.keys(lock.packages)).toEqual(["", "node_modules/tributary-sdk"]);
});

test("the download is small, and contains the command and all types", async () => {
  const { byteLength } = await (await fetch(`${sharedService.url}/${sdk.file}`)).arrayBuffer();
  expect(byteLength).toBeGreaterThan(32_768);
  expect(byteLength).toBeLessThanOrEqual(217_088);
});

const exported = {
  index: ["Tributary"],
  program: ["TributaryProgram"],
  browser: ["getOffer", "loadTracker"],
  embed: ["mountReferrals"],
  react: ["Referrals", "useClickId"],
  stripe: [
    "checkoutMetadata",
    "creditStripeBalance",
    "handleStripeEvent",
    "offerDiscounts",
    "refundFromEvent",
    "saleFromEvent",
  ],
  paddle: ["checkoutMetadata", "handlePaddleEvent", "offerDiscounts", "verifyPaddleEvent"],
  "lemon-squeezy": ["checkoutMetadata", "handleLemonSqueezyEvent", "offerDiscounts", "verifyLemonSqueezyEvent"],
  polar: ["checkoutMetadata", "handlePolarEvent", "offerDiscounts", "verifyPolarEvent"],
  currency: ["currencyDigits", "inSmallestUnit"],
  webhooks: ["verifyWebhook"],
  testing: ["createTestClient", "testFailure"],
} as const satisfies Record<keyof Sizes, readonly string[]>;
const specifier = (entry: string) => (entry === "index" ? "tributary-sdk" : `tributary-sdk/${entry}`);

test.each([
  ["mjs", (entry: string) => `await import("${specifier(entry)}")`],
  ["cjs", (entry: string) => `require("${specifier(entry)}")`],
])("Node loads all entries as %s, and only the one for React needs React", async (kind, load) => {
  const loaded = async (names: readonly string[]): Promise<Record<string, string[]>> => {
    const found = names.map((entry) => `${JSON.stringify(entry)}: Object.keys(${load(entry)}).sort()`);
    const { stdout } = await run(node, [await file(`load.${kind}`, `console.log(JSON.stringify({ ${found} }))`)]);
    return JSON.parse(stdout);
  };
  const others = await loaded(entries.filter((entry) => entry !== "react"));
  const home = join(project, "node_modules/react");
  await symlink(join(root, "node_modules/react"), home);
  onTestFinished(() => rm(home));
  expect({ ...others, ...(await loaded(["react"])) }).toEqual(exported);
});

test("the browser entry can be imported without a page", async () => {
  const text = `
    import { loadTracker } from "tributary-sdk/browser";
    console.log(await loadTracker(1, { src: "https://tributary.example/js/svc-tracker.js" }));`;
  expect((await run(node, [await file("server.mjs", text)])).stdout).toBe("undefined\n");
});

/** Returns the compiler's output for a folder. */
async function typeFaults(
  folder: string,
  compilerOptions: object,
  tsc = join(root, "node_modules/typescript/bin/tsc"),
): Promise<string> {
  const typeRoots = [join(root, "node_modules/@types"), join(root, "node_modules")];
  const common = { target: "ES2022", strict: true, noEmit: true, typeRoots };
  const config = { compilerOptions: { ...common, ...compilerOptions }, include: ["."] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  const env = { ...process.env, ...quickCompiler };
  const { stdout, stderr } = await run(node, [tsc, "-p", folder], { env }).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  return stdout + stderr;
}

const server = `
  import { Tributary, type SaleResult, type TributaryClient, type Warning } from "tributary-sdk";
  import { type Partner, type Partners, type ProgramClient, TributaryProgram } from "tributary-sdk/program";
  import { createTestClient, testFailure } from "tributary-sdk/testing";
  import { checkoutMetadata, refundFromEvent, saleFromEvent } from "tributary-sdk/stripe";
  import { checkoutMetadata as customData, handlePaddleEvent, verifyPaddleEvent } from "tributary-sdk/paddle";
  import { handleLemonSqueezyEvent, verifyLemonSqueezyEvent } from "tributary-sdk/lemon-squeezy";
  import { handlePolarEvent, verifyPolarEvent } from "tributary-sdk/polar";
  import { currencyDigits, inSmallestUnit } from "tributary-sdk/currency";
  import { verifyWebhook, type WebhookEvent } from "tributary-sdk/webhooks";
  export const cents: number = inSmallestUnit(4.99, "USD") * 10 ** currencyDigits("JPY");
  const heard: Warning[] = [];
  const tributary = new Tributary({
    apiKey: "svc_1_x",
    baseUrl: "https://tributary.example",
    onWarning: (warning) => heard.push(warning),
  });
  export async function onEvent(event: { type: string; data: { object: object } }): Promise<SaleResult | string> {
    const { sale, reason } = saleFromEvent(event);
    if (sale === null) return reason;
    const { refund } = await refundFromEvent(event, { invoiceOf: async ({ payment_intent }) => payment_intent });
    if (refund) (await tributary.trackRefund(refund)).data?.commissionReversedCents.toFixed();
    const result = await tributary.trackSale(sale, { timeoutMs: 1_000 });
    if (!result.ok) result.error.message.trim();
    else if (result.duplicate) result.data.differences.join();
    else if (!result.skipped) result.data.message.trim();
    return result;
  }
  export const text: string = checkoutMetadata({ customerKey: "u", programId: 1, mode: "subscription" })
    .subscription_data.metadata.program_id;
  // The parameters as in Stripe's types.
  export const params: { metadata?: { [name: string]: string } } = checkoutMetadata({ customerKey: "u", programId: 1 });
  tributary.trackRefund({ invoiceId: "i", amount: 1, refundId: "r" });
  tributary.trackRefund({ invoiceId: "i", refundedTotal: 1 });
  tributary.trackRefund({ invoiceId: "i" });
  tributary.trackRefund({ invoiceId: "i", refundedTotal: 1, refundId: "ch", chargeTotal: 2, occurredAt: new Date() });
  tributary.trackRefund({ invoiceId: "i", amount: 1, refundId: "r", cancel: false });
  tributary.trackRefund({ invoiceId: "i", cancel: true, refundId: "r" });
  tributary.trackRefund({ invoiceId: "i", cancel: true, refundId: "ch", refundedTotal: 0, chargeTotal: 2 });
  // @ts-expect-error an amount needs an id
  tributary.trackRefund({ invoiceId: "i", amount: 1 });
  // @ts-expect-error an amount or a total
  tributary.trackRefund({ invoiceId: "i", amount: 1, refundId: "r", refundedTotal: 1 });
  // @ts-expect-error a cancellation needs an id
  tributary.trackRefund({ invoiceId: "i", cancel: true });
  // @ts-expect-error a cancellation has no amount
  tributary.trackRefund({ invoiceId: "i", cancel: true, refundId: "r", amount: 1 });
  tributary.trackSale({ invoiceId: "i", amount: 1, subscriptionId: "s" });
  tributary.trackSale({ invoiceId: "i", amount: 1, subscriptionId: "s", clickId: "c", clickIds: ["c"] });
  tributary.trackSale({ invoiceId: "i", amount: 1, clickId: "c" });
  // @ts-expect-error a customer, a click or a subscription
  tributary.trackSale({ invoiceId: "i", amount: 1 });
  // @ts-expect-error an amount is no text
  tributary.trackSale({ customerExternalId: "u", invoiceId: "i", amount: "1" });
  // @ts-expect-error test sales have a method of their own
  tributary.trackSale({ customerExternalId: "u", invoiceId: "i", amount: 1, additionalData: { test_mode: true } });
  tributary.trackTestSale({ customerExternalId: "u", invoiceId: "i", amount: 1 });
  tributary.trackLead({ customerExternalId: "u", testMode: true }, { onError: ({ failure }) => failure?.error.name });
  declare const environment: { readonly [name: string]: string | undefined };
  new Tributary({ apiKey: environment.TRIBUTARY_API_KEY, baseUrl: environment.TRIBUTARY_URL });
  new Tributary();
  export async function signUp(client: TributaryClient): Promise<string | null> {
    const { requestId, error } = await client.trackLead({ customerExternalId: "u" });
    return error?.name === "BadRequestError" || error?.name === "a later one" ? requestId : null;
  }
  const double = createTestClient({ trackLead: async () => testFailure(400, "BadRequestError") });
  signUp(double).then(() => double.calls.map((call) => call.method === "trackSale" && call.arguments[0].amount));
  const program: ProgramClient = new TributaryProgram({ apiKey: "svc_1_x", baseUrl: "https://tributary.example" });
  export const events: Tributary = new TributaryProgram();
  export async function onJoin({ create, update }: Partners, code: string): Promise<string> {
    const { ok, status, data, error } = await create({ name: "Anna", code, externalId: "u" }, { retries: 0 });
    if (ok) return status === 201 ? (data.link ?? data.code) : data.createdAt;
    if (error.details.code === "insufficient_scope") return error.details.needed === "manage" ? "manage" : "other";
    if (error.details.code === "differs") return error.details.differences?.join() ?? "";
    return (await update(1, { status: "paused", email: null })).data?.externalId ?? "";
  }
  export async function allPartners(): Promise<readonly Partner[]> {
    const found: Partner[] = [];
    for await (const page of program.partners.pages({ externalId: "u" })) {
      if (!page.ok) throw new Error(page.error.message);
      found.push(...page.data);
    }
    return found;
  }
  program.commissions.list({ status: "void", partnerId: 1, cursor: null }).then(({ data }) => data?.[0]?.inPayout);
  program.payouts.commissions(1).list().then((page) => page.ok && page.nextCursor?.trim());
  export async function onDelivery(body: Uint8Array, headers: { [name: string]: string | string[] | undefined }) {
    const { ok, event, reason } = await verifyWebhook(body, headers, ["whsec_", "whsec_"], { toleranceSeconds: 60 });
    return ok ? earnedBy(event) : reason.length;
  }
  export async function onPayment(body: string, headers: { get(name: string): string | null }): Promise<number> {
    const [paddle, squeezed] = [await verifyPaddleEvent(body, headers, "s"), await verifyLemonSqueezyEvent(body, headers, "s")];
    if (paddle.ok) return (await handlePaddleEvent(paddle.event, { tributary, customDataOf: async (id) => ({ id }) })).status;
    if (squeezed.ok) return (await handleLemonSqueezyEvent(squeezed.event, { tributary, staging: true })).status;
    const { ok, event, reason } = await verifyPolarEvent(body, headers, ["a", "b"], { toleranceSeconds: 60 });
    return ok ? (await handlePolarEvent(event, { tributary, sandbox: true })).status : reason.length;
  }
  export const custom: { [name: string]: string } = customData({ customerKey: "u", programId: 1 });
  const earnedBy = (event: WebhookEvent): number =>
    event.type === "commission.updated" ? event.data.object.amountCents - (event.data.previous.amountCents ?? 0) : 0;
  program.createEmbedToken({ externalId: "u", email: null }).then(({ data }) => data?.token.trim() ?? data?.partnerId);
  program.events.list({ after: 0, types: ["commission.updated:approved"] }).then((page) => page.data?.map(earnedBy));
  // @ts-expect-error no such event
  program.events.list({ types: ["sale.deleted"] });
  // @ts-expect-error a partner has a code
  program.partners.create({ name: "Anna" });
  // @ts-expect-error a code can't be changed
  program.partners.update(1, { code: "bea" });
  // @ts-expect-error ids are numbers
  program.partners.update("1", {});
  // @ts-expect-error for the program entry alone
  new Tributary().send("lead", {}, "leadId", {});
  // @ts-expect-error payment has no subscription
  checkoutMetadata({ customerKey: "u", programId: 1 }).subscription_data;
`;
const withFetch = `
  import { Tributary } from "tributary-sdk";
  new Tributary({ apiKey: "svc_1_x", baseUrl: "https://tributary.example", fetch });
  new Tributary({ apiKey: "svc_1_x", baseUrl: "https://x.example", fetch: (url, init) => fetch(url, init) });
  new Tributary().readiness({ signal: new AbortController().signal });
  import { verifyWebhook } from "tributary-sdk/webhooks";
  export const verified = async (request: Request) =>
    (await verifyWebhook(await request.arrayBuffer(), request.headers, "whsec_")).event?.type === "sale.updated";
  // @ts-expect-error no signal
  new Tributary().readiness({ signal: 5 });
`;
const page = `
  import { loadTracker, type Svc } from "tributary-sdk/browser";
  import { mountReferrals, type ReferralToken } from "tributary-sdk/embed";
  import { Referrals, useClickId } from "tributary-sdk/react";
  const service = "https://tributary.example";
  const fetchToken = async (): Promise<ReferralToken> => (await fetch("/referral-token")).json();
  export const leave: () => void = mountReferrals(document.body, { service, embedId: "emb_1", fetchToken });
  Referrals({ service, embedId: "emb_1", fetchToken, theme: { radius: 4 }, className: "referrals" }).key?.trim();
  // @ts-expect-error no such font
  mountReferrals(document.body, { service, embedId: "emb_1", fetchToken, theme: { font: "comic" } });
  const src = "https://tributary.example/js/svc-tracker.js";
  export const svc: Promise<Svc | undefined> = loadTracker(1, { src, consent: "required" });
  export const clickId = (): string | undefined => useClickId(1, { src }) ?? window.svc?.getClickId();
`;

describe("the types compile", () => {
  const contexts = {
    "without any types of a runtime": { lib: ["ES2022"], types: [], texts: [server] },
    "in Node": { lib: ["ES2022"], types: ["node"], texts: [server, withFetch] },
    "in a Worker": { lib: ["ES2022"], types: ["@cloudflare/workers-types"], texts: [server, withFetch] },
    "on a page": { lib: ["ES2022", "DOM"], types: [], texts: [server, withFetch, page] },
  };
  const resolutions = [
    ["node16", "node16", "mts"],
    ["node16", "node16", "cts"],
    ["esnext", "bundler", "ts"],
  ] as const;
  const cases = Object.entries(contexts).flatMap(([name, context]) =>
    resolutions.map(([module, moduleResolution, kind]) => ({ name, ...context, module, moduleResolution, kind })),
  );

  test.each(sampled(cases, 4))(
    "the package's types compile $name with moduleResolution $moduleResolution from .$kind",
    async ({ lib, types, texts, module, moduleResolution, kind }) => {
      const folder = await mkdtemp(join(project, "types-"));
      for (const [i, text] of texts.entries()) await writeFile(join(folder, `use${i}.${kind}`), text);
      const compilerOptions = {
        module,
        moduleResolution,
        lib,
        types,
        exactOptionalPropertyTypes: true,
        // Also checks the package's own declarations.
        skipLibCheck: types.length > 0,
      };
      expect(await typeFaults(folder, compilerOptions)).toBe("");
    },
  );
});

test("the types are found by TypeScript 5 with moduleResolution node10", { tags: "finding" }, async () => {
  const folder = await mkdtemp(join(project, "node10-"));
  const names = entries.filter((entry) => entry !== "react");
  const imports = names.map((entry, i) => `import * as e${i} from "${specifier(entry)}";`);
  const all = `export const all = [${names.map((_, i) => `e${i}`).join(", ")}];`;
  await writeFile(join(folder, "all.ts"), [...imports, all].join("\n"));
  await writeFile(join(folder, "server.ts"), server);
  const compilerOptions = { module: "commonjs", moduleResolution: "node10", lib: ["ES2022", "DOM"], types: [] };
  const tsc = join(root, "test/clients/node_modules/typescript/bin/tsc");
  expect(await typeFaults(folder, { ...compilerOptions, esModuleInterop: true }, tsc)).toBe("");
});

test("the examples in the README compile", { tags: "soak" }, async () => {
  const readme = await readFile(join(root, "sdk/README.md"), "utf8");
  const blocks = [...readme.matchAll(/^ *```ts\n([\s\S]*?)^ *```$/gm)].map(([, text = ""]) => text);
  expect(blocks.length).toBeGreaterThan(7);
  // Declares what the reader's own code contains.
  const own = `
    declare const user: { readonly id: string; readonly email: string };
    declare const body: { readonly clickId?: string };
    declare const invoice: { readonly id: string; readonly total: number };
    import Stripe from "stripe";
    declare const stripe: Stripe;
    export { clickId, lead, onPaddle, onStripe, reporting, sale, session, SignUp };
    declare const logger: { error(...parts: unknown[]): void };
  `;
  const folder = await mkdtemp(join(project, "readme-"));
  await writeFile(join(folder, "readme.mts"), own + blocks.join("\n"));
  const compilerOptions = {
    module: "node16",
    lib: ["ES2022", "DOM"],
    types: ["node"],
    skipLibCheck: true,
  };
  expect(await typeFaults(folder, compilerOptions)).toBe("");
});

test("the package runs in a Worker, with one client for all requests", async () => {
  const { world, alice, click } = await createProgramFixture();
  const entry = await file(
    "worker.mjs",
    `
    import { Tributary } from "tributary-sdk";
    const tributary = new Tributary({ apiKey: ${JSON.stringify(world.key)}, baseUrl: ${JSON.stringify(sharedService.url)} });
    export default {
      async fetch(request) {
        const { method, input } = await request.json();
        return Response.json(await tributary[method](input));
      },
    };`,
  );
  const { outputFiles } = await esbuild.build({
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    conditions: ["workerd", "worker", "browser"],
    write: false,
  });
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      log: new Log(LogLevel.NONE),
      workers: [
        {
          name: "shop",
          compatibilityDate: "2026-10-01",
          modules: [{ type: "ESModule", path: "worker.js", contents: outputFiles[0]?.text ?? "" }],
        },
      ],
    }),
  );
  onTestFinished(() => miniflare.dispose());
  const call = async (method: string, input: object) => {
    const body = JSON.stringify({ method, input });
    return (await miniflare.dispatchFetch("https://shop.example/", { method: "POST", body })).json();
  };
  const customerExternalId = "user-1";
  expect(await call("trackLead", { customerExternalId, clickId: click(alice) })).toMatchObject({
    ok: true,
    data: { attributed: true, partnerCode: alice.code },
  });
  const sale = { customerExternalId, amount: 10_000, invoiceId: "invoice-1" };
  expect(await call("trackSale", sale)).toMatchObject({ ok: true, data: { commission: { amountCents: 2_000 } } });
  expect(await call("trackSale", sale)).toMatchObject({ ok: true, duplicate: true });
});
