import { expect, test } from "vitest";
import { signUp } from "../support/session.ts";
import { shared } from "../support/shared.ts";

test("who signs up is signed in", async () => {
  const user = await signUp(shared.url, { name: "Grace" });
  const { status, body } = await user.get("/api/auth/get-session");
  expect(status).toBe(200);
  expect(body).toMatchObject({
    user: { id: user.userId, name: "Grace", email: user.email },
    session: { userId: user.userId },
  });
});
