import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { bundled } from "../support/bundled.ts";
import { openEmbedHost } from "../support/embed-host.ts";
import { sharedService } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

const open = () => openEmbedHost(newContext, { owner: people.owner });

const react = bundled(`
  import { createElement, StrictMode, useState } from "react";
  import { createRoot } from "react-dom/client";
  import { Referrals } from "tributary-sdk/react";
  function Invite() {
    const [count, setCount] = useState(0);
    const [background, setBackground] = useState("#ffffff");
    window.setBackground = setBackground;
    return createElement("div", null,
      createElement("button", { onClick: () => setCount(count + 1) }, "Count " + count),
      createElement(Referrals, {
        service: window.service,
        embedId: window.embedId,
        theme: { background },
        className: "referrals",
        fetchToken: async () => (await fetch("/referral-token", { method: "POST" })).json(),
      }));
  }
  const root = createRoot(document.getElementById("main"));
  root.render(createElement(StrictMode, null, createElement(Invite)));
  window.leave = () => root.unmount();`);

test("the React component shows the referral page, keeps it when the parent component renders again, and removes it when unmounted", {
  tags: "soak",
}, async () => {
  const host = await open();
  const { page, frame, embedId } = host;
  const settings = JSON.stringify({ service: sharedService.url, embedId });
  host.pages.set(
    "/react",
    `<!doctype html><title>Product</title><main id="main"></main><script>Object.assign(window, ${settings})</script><script>${(await react).replaceAll("</script", "<\\/script")}</script>`,
  );
  await host.open("/react");
  await frame.getByRole("button", { name: "Get your link" }).waitFor();
  expect(await page.locator("div.referrals > iframe").count()).toBe(1);
  await frame.locator("html").evaluate((html) => html.setAttribute("data-kept", ""));
  await page.getByRole("button", { name: "Count 0" }).click();
  await page.getByRole("button", { name: "Count 1" }).waitFor();
  await frame.locator("html[data-kept]").waitFor();
  await page.evaluate('setBackground("#10131a")');
  await expect.poll(() => page.locator("iframe").getAttribute("src")).toContain("background=%2310131a");
  await frame.getByRole("button", { name: "Get your link" }).waitFor();
  await page.evaluate("leave()");
  expect(await page.locator("iframe").count()).toBe(0);
});

test("the function that mountReferrals returns removes the frame and stops fetching tokens", async () => {
  const host = await open();
  await host.page.clock.install();
  await host.open();
  await host.frame.getByRole("button", { name: "Get your link" }).waitFor();
  await host.page.evaluate("unmount()");
  expect(await host.page.locator("iframe").count()).toBe(0);
  await host.page.clock.runFor(2 * 60 * 60_000);
  expect(host.asked()).toBe(1);
});

test("the SDK accepts messages only from its own frame, and heights only as numbers", async () => {
  const host = await open();
  await host.open();
  await host.frame.getByRole("button", { name: "Get your link" }).waitFor();
  const height = () => host.page.locator("iframe").evaluate(({ style }) => style.height);
  const before = await height();
  const send = (message: object) => host.page.evaluate((sent) => postMessage(sent, "*"), message);
  const fromFrame = (message: object) => host.inner().evaluate((sent) => parent.postMessage(sent, "*"), message);
  await send({ type: "tributary:expired" });
  await send({ type: "tributary:resize", height: 5_000 });
  for (const wrong of [-1, 0, 1e9, "5000px", null, {}]) await fromFrame({ type: "tributary:resize", height: wrong });
  await fromFrame({ type: "tributary:resize", height: 321 });
  await expect.poll(height).toBe("321px");
  expect(before).toMatch(/^\d+px$/);
  expect(host.asked()).toBe(1);
});

test("a cross-origin isolated page can frame the referral page", { tags: "soak" }, async () => {
  const host = await open();
  host.pageHeaders["cross-origin-opener-policy"] = "same-origin";
  host.pageHeaders["cross-origin-embedder-policy"] = "require-corp";
  await host.open();
  await host.frame.getByRole("button", { name: "Get your link" }).waitFor();
  expect(await host.page.evaluate("crossOriginIsolated")).toBe(true);
});

test("mountReferrals throws if the service's address is insecure", async () => {
  const host = await open();
  await host.open();
  const mount = (service: string) =>
    host.page.evaluate((address) => {
      try {
        Reflect.get(window, "mountReferrals")(document.body, { service: address, embedId: "emb_1", fetchToken: fetch });
        return "mounted";
      } catch (error) {
        return String(error);
      }
    }, service);
  expect(await mount("http://tributary.example")).toBe("TypeError: service must be https (http: localhost only)");
  expect(await mount("not a URL")).toMatch(/^TypeError/);
});
