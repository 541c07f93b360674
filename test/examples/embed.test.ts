import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createAdaptorServer } from "@hono/node-server";
import type { Hono } from "hono";
import { TributaryProgram } from "tributary-sdk/program";
import { expect, inject, onTestFinished, test } from "vitest";
import { createApp } from "../../examples/embed/app.ts";
import { node } from "../../scripts/root.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { bundled } from "../support/bundled.ts";
import { blocksOf, patternOf, readDocument } from "../support/documents.ts";
import { openEmbedHost } from "../support/embed-host.ts";
import { integratorWithSdk } from "../support/integrator.ts";
import { createProgramFixture } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { startExample } from "./start-example.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();
const run = promisify(execFile);

const [settings, settingsShown, server, curl, curlShown, browser, react, plain, ...more] = blocksOf(
  readDocument("docs/embed.md"),
);

/** Signs in to the example at `address`, and creates a link. */
async function useExample(address: string): Promise<void> {
  const context = await newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(address);
  await page.getByRole("textbox", { name: "Your name" }).fill("Anna");
  await page.getByRole("button", { name: "Sign in" }).click();
  const frame = page.frameLocator("iframe");
  await frame.getByRole("button", { name: "Get your link" }).click();
  await frame.getByRole("textbox", { name: "Your link" }).waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  expect((await page.request.post(`${address}referral-token`)).status()).toBe(401);
}

async function embeddingProgram() {
  const { world } = await createProgramFixture({ members: [{ user: people.owner, role: "owner" }] });
  const allow = async (origin: string) => {
    const path = `/api/programs/${world.programId}/embed`;
    const { body } = await people.owner.put<{ data: { embedId: string } }>(path, { origins: [origin] });
    return body.data.embedId;
  };
  const names = () =>
    world.rows("select name from partners where program_id = ? and external_id = 'user-anna'", world.programId);
  return { world, allow, names };
}

test("a user of the embed example signs in and gets a link", async () => {
  const { world, allow, names } = await embeddingProgram();
  const tributary = new TributaryProgram({ apiKey: world.key, baseUrl: sharedService.url });
  let app: Hono | undefined;
  // `npm start` of the example builds the SDK.
  const sdk = await bundled('export * from "tributary-sdk/embed"', "js", "esm");
  const serveSdk = () => new Response(sdk, { headers: { "content-type": "text/javascript" } });
  const respond = (request: Request) =>
    new URL(request.url).pathname === "/sdk.js" ? serveSdk() : (app?.fetch(request) ?? new Response());
  const server = createAdaptorServer({ fetch: respond });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  onTestFinished(() => void server.close());
  const address = `http://localhost:${(server.address() as AddressInfo).port}/`;
  app = createApp({ tributary, tributaryUrl: sharedService.url, embedId: await allow(address.slice(0, -1)) });
  await useExample(address);
  expect(await names()).toMatchObject([{ name: "Anna" }]);
});

test("the embed example starts without the other examples", { tags: "soak" }, async () => {
  const { world, allow, names } = await embeddingProgram();
  const address = await startExample("embed", {
    TRIBUTARY_URL: sharedService.url,
    TRIBUTARY_API_KEY: world.key,
    TRIBUTARY_EMBED_ID: await allow("http://localhost:3000"),
  });
  await allow(new URL(address).origin);
  await useExample(address);
  expect(await names()).toMatchObject([{ name: "Anna" }]);
});

test("the commands of the embedding guide print what the guide shows, and its server code returns a token", async () => {
  expect(more).toEqual([]);
  const { world } = await createProgramFixture({ members: [{ user: people.owner, role: "owner" }] });
  const folder = await mkdtemp(join(tmpdir(), "tributary-embed-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const env = { PATH: process.env.PATH, TRIBUTARY_URL: sharedService.url, TRIBUTARY_API_KEY: world.key };
  const said = async (command = "") => {
    const own = command
      .replace("you@shop.example", people.owner.email)
      .replace(/"password":"…"/, `"password":"${people.owner.password}"`)
      .replaceAll("programs/1/", `programs/${world.programId}/`);
    return (await run("sh", ["-ec", own], { cwd: folder, env })).stdout.trim();
  };
  expect(await said(settings?.text)).toMatch(patternOf(settingsShown?.text ?? ""));
  expect(await said(curl?.text)).toMatch(patternOf(curlShown?.text ?? ""));

  const integrator = await integratorWithSdk(`${sharedService.url}/${inject("sdk").file}`);
  onTestFinished(() => integrator.dispose());
  await writeFile(join(integrator.project, "server.ts"), server?.text ?? "");
  const user = { id: "user-9", name: "Ben", email: "ben@mail.example" };
  await writeFile(
    join(integrator.project, "run.mjs"),
    `import { referralToken } from "./server.ts";
    const response = await referralToken(${JSON.stringify(user)});
    console.log(response.headers.get("cache-control"), await response.text());`,
  );
  const { stdout } = await run(node, ["run.mjs"], { cwd: integrator.project, env });
  expect(stdout).toMatch(/^no-store \{"token":"[^"]+","expiresAt":"[^"]+","expiresIn":3600,"partnerId":null\}\n$/);
});

test("the browser code of the embedding guide shows the referral page", async () => {
  const host = await openEmbedHost(newContext, { owner: people.owner });
  const own = (code = "") =>
    code.replace("https://tributary.example", sharedService.url).replace("emb_…", host.embedId);
  const component = `${own(react?.text)}
    import { createElement } from "react";
    import { createRoot } from "react-dom/client";
    createRoot(document.getElementById("referrals")).render(createElement(Invite));`;
  for (const code of [own(browser?.text), own(plain?.text), component]) {
    const script = (await bundled(code, "tsx")).replaceAll("</script", "<\\/script");
    host.pages.set("/", `<!doctype html><title>Product</title><div id="referrals"></div><script>${script}</script>`);
    await host.open();
    await host.frame.getByRole("button", { name: "Get your link" }).waitFor();
  }
});
