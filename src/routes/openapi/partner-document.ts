import { partnerApi } from "#doors/partner/api.ts";
import { documentOf, forPeople, type SharedDocument } from "./people.ts";

const info = {
  title: "Tributary for partners",
  version: "1",
  summary: "The endpoints behind a partner's pages: the partner's access, figures, commissions and payouts.",
  description: `A partner's pages call these endpoints for a signed-in person, and change together with them.

**Authentication.** These endpoints accept no API key. Sign in with the same account as in the dashboard, and send the session's cookie. A write also needs
\`Content-Type: application/json\` and, from outside a browser, the service's own address as \`Origin\`. \`x-minimum-role\` is the role
that an operation needs at the partner: \`view\` can read; \`manage\` can also create codes, report missing sales, accept terms, and
change the profile and the payment details.

${forPeople}`,
  license: { name: "MIT", identifier: "MIT" },
};

const tags = [
  { name: "Access", description: "Invitations, and the partners that an account has access to." },
  { name: "Join", description: "Join pages, and applications to become a partner." },
  { name: "Partner", description: "The partner's view of a program." },
];

export const partnerDocument = (server = "/", isCookieSecure = true): SharedDocument =>
  documentOf(partnerApi, { info, tags }, server, isCookieSecure);
