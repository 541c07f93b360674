import { afterAll, beforeAll, expect, test } from "vitest";
import { isolatedService } from "../support/isolated-service.ts";
import { oidcFixture, startProvider } from "../support/oidc-provider.ts";

const provider = await startProvider();
const own = isolatedService({ vars: { ...provider.vars } });
beforeAll(() => provider.serve(own.service.url));
afterAll(() => provider.stop());

const { newPerson, newBrowser, signIn, confirm, userOf } = oidcFixture(provider, () => own.service.url);

test("a person signs in at an identity provider, and confirms their identity there again", async () => {
  const person = newPerson();
  const session = newBrowser();
  expect(await signIn(session, person)).toMatchObject({ status: 302, location: "/app/" });
  expect(await userOf(session)).toMatchObject({ user: { email: person.email }, session: { byProvider: true } });
  expect(await confirm(session, person)).toMatchObject({ status: 302, location: "/app/account" });
});

test("a person without an email address at the provider gets no account", async () => {
  expect(await signIn(newBrowser(), newPerson({ email: undefined }))).toMatchObject({ code: "oidc_no_email" });
});
