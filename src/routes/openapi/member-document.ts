import { sessionApi } from "#doors/member/api.ts";
import { documentOf, forPeople, type SharedDocument } from "./people.ts";

const info = {
  title: "Tributary dashboard",
  version: "1",
  summary: "The endpoints behind the dashboard: sign-in, reports and program management.",
  description: `The dashboard calls these endpoints for a signed-in person. They change together with the dashboard. From
your own backend, use the API with a key.

**Authentication.** These endpoints accept no API key. Sign in, and send the session's cookie. A write also needs
\`Content-Type: application/json\` and, from outside a browser, the service's own address as \`Origin\`. \`x-minimum-role\` is the role
that an operation needs in the workspace: viewer, admin or owner.

${forPeople}`,
  license: { name: "MIT", identifier: "MIT" },
};

const tags = [
  { name: "Sign-in", description: "Accounts and sessions." },
  { name: "Dashboard", description: "Integration status, events and performance of a program." },
  { name: "Management", description: "Workspaces, programs, partners, policies and commissions." },
  { name: "Partners' access", description: "Access to a partner's pages, and invitations to it." },
  { name: "Privacy", description: "Export and erasure of personal data." },
  { name: "Payouts", description: "Balances, adjustments, payouts and statements of partners." },
];

export const sessionDocument = (server = "/", isCookieSecure = true): SharedDocument =>
  documentOf(sessionApi, { info, tags }, server, isCookieSecure);
