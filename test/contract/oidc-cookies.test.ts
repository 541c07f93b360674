import { afterAll, beforeAll, expect, test } from "vitest";
import { isolatedService } from "../support/isolated-service.ts";
import { navigate, oidcFixture, startProvider } from "../support/oidc-provider.ts";

const provider = await startProvider();
const own = isolatedService({ vars: { ...provider.vars } });
beforeAll(() => provider.serve(own.service.url));
afterAll(() => provider.stop());

const { newPerson, newBrowser, signIn } = oidcFixture(provider, () => own.service.url);

/** A browser keeps a cookie of at most this many characters. */
const maxCookie = 4_096;

test("links on another site that begin sign-ins don't make a browser send more cookies than the service accepts", async () => {
  const session = newBrowser();
  for (let length = 2_600; length < 2_604; length += 1) {
    const query = new URLSearchParams({ returnTo: `/app/${"x".repeat(length)}` });
    expect((await navigate(session, `/api/auth/oidc?${query}`)).status).toBe(302);
  }
  const sizes = [...session.cookies].map(([name, value]) => name.length + value.length);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(maxCookie);
  expect(sizes.length).toBe(4);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(8_000);
  expect((await session.get("/api/auth/get-session")).status).toBe(200);
  expect(await signIn(session, newPerson())).toMatchObject({ status: 302, location: "/app/" });
});
