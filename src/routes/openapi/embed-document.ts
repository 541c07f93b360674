import { embedApi } from "#doors/embed/api.ts";
import { documentBy, forPeople, type SharedDocument } from "./people.ts";

const info = {
  title: "Tributary for embedded referral pages",
  version: "1",
  summary: "The endpoints behind the referral page that you show inside your own product.",
  description: `The embedded page calls these endpoints for the signed-in user of your product, and both are released together. You can also
call them from your own page or app.

**Authentication.** Your backend requests a token with its API key (\`POST /api/v1/programs/me/embed/tokens\`) and passes it to the page,
which sends it as \`Authorization: Bearer <token>\`. A token is valid for an hour and allows access to one user's referral data. It stops
working early when its API key ends or loses the scope \`manage\`, when an owner ends all tokens, when the partner is erased, and when the
program is archived. Cookies are ignored.

${forPeople}`,
  license: { name: "MIT", identifier: "MIT" },
};

const tags = [{ name: "Embed", description: "The referral page of one user of your product." }];

const embedToken = {
  type: "http",
  scheme: "bearer",
  description: "Token that your backend has requested for the user.",
} as const;

export const embedDocument = (server = "/"): SharedDocument =>
  documentBy(embedApi, { info, tags }, server, { embedToken });
