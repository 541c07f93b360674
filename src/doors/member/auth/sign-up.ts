import { countInvitationView, countMail, countSignUp, countVerification, releaseMail } from "#api/account-limits.ts";
import { addressLink, verifiesAddresses } from "#api/address-link.ts";
import { readJoinPage } from "#api/join.ts";
import { sendMails, strangersMailOrigin } from "#api/mail.ts";
import { provesAddress, readOpenInvitation } from "#api/partner-invitation.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { hashLinkToken, type LinkedApp, linkedApps } from "#domain/link-token.ts";
import { isExcepted } from "#domain/oidc.ts";
import { programOfInvitation, readInvitationToken } from "#domain/partner-access.ts";
import type { Refusal } from "#domain/refusal.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { signUpModes } from "#domain/sign-up.ts";
import { signUpOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import {
  body,
  commonRefusals,
  createRoute,
  endpoint,
  refusals,
  refuse,
  returns,
  withJsonBody,
} from "#http/endpoint.ts";
import { openHashing } from "#http/hashing.ts";
import { oidcOf } from "#http/oidc-settings.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { sessionTokenOf } from "#http/session-cookie.ts";
import { mailVerification, verifyAddress } from "#store/accounts/address-verifications.ts";
import type { SessionUser } from "#store/accounts/sessions.ts";
import {
  type Admission,
  createAccount as create,
  findAccount,
  isAdmissible,
  isStillAdmitted,
  type WayToSignIn,
} from "#store/accounts/users.ts";
import { fromOwnOrigin, inputRefusals, sessionWriteRefusals, signedIn, writeRefusals } from "../guards.ts";
import { refusalOfPassword } from "./passwords.ts";
import { done, startSession, success, UserReply, userReply } from "./start-session.ts";

const SignUpBody = z
  .object({
    name: fields.nonBlank("name"),
    email: fields.email("email"),
    password: fields.newPassword("password"),
    invitation: fields
      .optional(fields.nonBlank("invitation"))
      .describe("Token of an invitation, which signing up accepts, or token of the link for the first owner."),
    app: z
      .enum(linkedApps)
      .default("app")
      .describe("Where the mailed verification link leads: the dashboard, or the partners' pages."),
    joinPage: fields
      .optional(fields.nonBlank("joinPage", 40))
      .describe(
        "Slug of an open join page. Signing up through it requires no invitation: the account can apply to the program, and owns no workspace.",
      ),
  })
  .openapi("SignUp");

const SignedUp = z.object({ token: z.string().nullable(), user: UserReply }).openapi("SignedUp");

export const signUp = endpoint({
  route: createRoute({
    method: "post",
    path: "/sign-up/email",
    operationId: "signUp",
    tags: ["Sign-in"],
    summary: "Create an account and sign in",
    description:
      "Accepts the invitation, if the body has one, so that you are a member of its workspace at once. If the service sends mail, it mails a link that verifies the address. An address can be used again if its account is otherwise empty and hasn't verified the address within a day.",
    ...withJsonBody(fromOwnOrigin(countSignUp)),
    request: { body: body(SignUpBody) },
    responses: {
      ...returns("Signed in. The response sets the session cookie.", SignedUp),
      ...refusals([
        ...writeRefusals,
        ...inputRefusals,
        "account_exists",
        "invitation_invalid",
        "sign_up_by_invitation",
        "oidc_required",
        ...commonRefusals,
      ]),
    },
  }),
  handler: async (c) => {
    const body = c.req.valid("json");
    const refusal = await refusalOfPassword("password", body.password, body);
    if (refusal !== undefined) return refuse(c, refusal);
    const bound = refusalOfBound(c, body);
    if (bound !== undefined) return refuse(c, bound);
    const account = await createAccount(c, { ...body, isProved: false }, () => hashed(c, body.password));
    if (!account.ok) return refuse(c, account.refusal);
    const { user, way } = account.value;
    const started = await startSession(c, { ...user, by: { hash: way.passwordHash } }, "signed_up");
    if (!started.ok) return refuse(c, started.refusal);
    return c.json({ token: started.value, user: userReply(user) }, 200);
  },
});

/** If members must sign in at the identity provider, a member's account must be created there too. */
function refusalOfBound(c: Ctx, { email, invitation }: Pick<NewAccount, "email" | "invitation">): Refusal | undefined {
  const provider = oidcOf(c.env);
  if (provider?.isRequired !== true || isExcepted(provider, email)) return undefined;
  const isOfMember = invitation !== null && programOfInvitation(readInvitationToken(invitation).token) === undefined;
  return isOfMember ? { code: "oidc_required" } : undefined;
}

async function hashed(c: Ctx, password: string): Promise<Result<{ readonly passwordHash: string }>> {
  const hashing = openHashing(c, "stranger");
  if (!hashing.ok) return hashing;
  const hash = await hashing.value.hash(password);
  return hash.ok ? ok({ passwordHash: hash.value }) : hash;
}

interface NewAccount {
  readonly name: string;
  readonly email: string;
  /** The identity provider has verified the address. */
  readonly isProved: boolean;
  readonly invitation: string | null;
  readonly joinPage: string | null;
  readonly app: LinkedApp;
}

/** `prepare` runs only once it is known that the account may be created, because hashing a password is expensive. */
export async function createAccount<Way extends WayToSignIn>(
  c: Ctx,
  { name, email: givenEmail, isProved, app, ...by }: NewAccount,
  prepare: () => Promise<Result<Way>>,
): Promise<Result<{ readonly user: SessionUser; readonly way: Way; readonly accountId: string }>> {
  const call = c.get("call");
  const email = givenEmail.toLowerCase();
  const admitted = await admit(c, { ...by, email });
  if (!admitted.ok) return admitted;
  const { admission, notAdmitted } = admitted.value;

  const way = await prepare();
  if (!way.ok) return way;
  const ids = { userId: crypto.randomUUID(), accountId: crypto.randomUUID() };
  const emailVerified = isProved || (by.invitation !== null && provesAddress(c, by.invitation, email));
  const link = emailVerified ? undefined : await addressLink(c, email, app);
  const overLimit = link && (await countMail(c, "verify_address", email));
  if (overLimit !== undefined) return refused(overLimit);
  const account = { ...ids, name, email, signsInBy: way.value, emailVerified, link };
  const created = await readFromDatabase(c, "home", (database) => create(database, account, admission, call));
  if (!created.ok) return created;
  if (created.value !== "created") {
    if (link !== undefined) releaseMail(c, "verify_address", email);
    return refused(created.value === "not_admissible" ? notAdmitted : { code: "account_exists" });
  }
  if (link !== undefined) sendMails(c, "home");
  const at = new Date(call.at);
  const user = {
    userId: ids.userId,
    name,
    email,
    emailVerified,
    image: null,
    twoFactor: false,
    createdAt: at,
    updatedAt: at,
  };
  return ok({ user, way: way.value, accountId: ids.accountId });
}

interface Admitted {
  /** Undefined if the sign-up needs no admission. */
  readonly admission: Admission | undefined;
  readonly notAdmitted: Refusal;
}

type Applicant = Pick<NewAccount, "email" | "invitation" | "joinPage">;

async function admit(c: Ctx, { email, invitation: given, joinPage }: Applicant): Promise<Result<Admitted>> {
  const invitation = given === null ? null : readInvitationToken(given).token;
  const isByInvitation = signUpOf(c.env) === "invited";
  const notAdmitted: Refusal = { code: isByInvitation ? "sign_up_by_invitation" : "invitation_invalid" };
  const freely = { admission: undefined, notAdmitted };
  if (invitation === null) {
    const page = isByInvitation ? await readJoinPage(c, joinPage ?? "") : undefined;
    return page === undefined || page.ok ? ok(freely) : notOpen(page, notAdmitted);
  }
  const tokenHash = hashLinkToken(invitation);
  if (programOfInvitation(invitation) === undefined) {
    return stillAdmitted(c, { admission: { tokenHash, membershipId: crypto.randomUUID() }, notAdmitted }, email);
  }
  const open = await readOpenInvitation(c, invitation);
  if (!open.ok) return notOpen(open, notAdmitted);
  // The account accepts the invitation later, once it is signed in.
  if (!isByInvitation) return ok(freely);
  const once = { admission: { partnerTokenHash: tokenHash }, notAdmitted: { code: "invitation_invalid" } } as const;
  return stillAdmitted(c, once, email);
}

const notOpen = ({ refusal }: { readonly refusal: Refusal }, notAdmitted: Refusal): Result<never> =>
  refused(["invitation_invalid", "not_found"].includes(refusal.code) ? notAdmitted : refusal);

async function stillAdmitted(c: Ctx, admitted: Admitted, email: string): Promise<Result<Admitted>> {
  const isAdmitted = await readFromDatabase(c, "home", (database) =>
    isStillAdmitted(database, admitted.admission, email, c.get("call").at),
  );
  if (!isAdmitted.ok) return isAdmitted;
  return isAdmitted.value ? ok(admitted) : refused(admitted.notAdmitted);
}

const SignUpToken = z
  .object({ token: fields.nonBlank("token").describe("Token of the link for an owner, or of an invitation.") })
  .openapi("SignUpToken");

export const checkSignUpToken = endpoint({
  route: createRoute({
    method: "post",
    path: "/sign-up/check",
    operationId: "checkSignUpToken",
    tags: ["Sign-in"],
    summary: "Check a sign-up link",
    description: "Reports whether an account can be created with the token. Requires no session, and changes nothing.",
    ...withJsonBody(fromOwnOrigin(countInvitationView)),
    request: { body: body(SignUpToken) },
    responses: {
      ...done("The link can be used."),
      ...refusals([...writeRefusals, ...inputRefusals, "invitation_invalid", ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const tokenHash = hashLinkToken(c.req.valid("json").token);
    const { at } = c.get("call");
    const found = await readFromDatabase(c, "home", (database) => isAdmissible(database, tokenHash, at));
    if (!found.ok) return refuse(c, found.refusal);
    return found.value ? c.json(success, 200) : refuse(c, { code: "invitation_invalid" });
  },
});

const SignUpReply = z
  .object({
    signUp: z.enum(signUpModes).describe("`invited`: creating an account requires an invitation token."),
    sendsMail: z.boolean().describe("True if a forgotten password can be reset by email."),
    provider: z
      .object({
        name: z.string().describe("For the button that begins at `/api/auth/oidc`."),
        required: z.boolean().describe("True if members of workspaces must sign in there. Partners don't have to."),
      })
      .nullable()
      .describe("The identity provider. Null if the service has none."),
  })
  .openapi("SignUpMode");

export const getSignUp = endpoint({
  route: createRoute({
    method: "get",
    path: "/sign-up",
    operationId: "getSignUp",
    tags: ["Sign-in"],
    summary: "Get the sign-up mode",
    description:
      "Returns whether creating an account requires an invitation, whether the service sends mail, and its identity provider. Requires no session.",
    security: [],
    responses: {
      ...returns("Sign-up mode", SignUpReply),
      ...refusals(["https_required", "internal"]),
    },
  }),
  handler: (c) => {
    const oidc = oidcOf(c.env);
    const provider = oidc === undefined ? null : { name: oidc.name, required: oidc.isRequired };
    return c.json({ signUp: signUpOf(c.env), sendsMail: strangersMailOrigin(c) !== undefined, provider }, 200);
  },
});

const Verification = z
  .object({ token: fields.nonBlank("token").describe("Token of a mailed link.") })
  .openapi("Verification");

export const verifyEmail = endpoint({
  route: createRoute({
    method: "post",
    path: "/verify-email",
    operationId: "verifyEmail",
    tags: ["Sign-in"],
    summary: "Verify your email address",
    description:
      "Requires a session of the account: in another browser, sign in first. A repeat changes nothing, and needs no session.",
    ...withJsonBody(fromOwnOrigin(countVerification)),
    request: { body: body(Verification) },
    responses: {
      ...done("The address of the account is verified."),
      ...refusals([...writeRefusals, ...inputRefusals, "no_session", "verification_invalid", ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const tokenHash = hashLinkToken(c.req.valid("json").token);
    const { at } = c.get("call");
    const opened = { tokenHash, sessionToken: await sessionTokenOf(c), at };
    const verified = await readFromDatabase(c, "home", (database) => verifyAddress(database, opened));
    if (!verified.ok) return refuse(c, verified.refusal);
    if (verified.value === "verified") return c.json(success, 200);
    return refuse(c, { code: verified.value === "signed_out" ? "no_session" : "verification_invalid" });
  },
});

const VerificationRequest = z
  .object({
    app: z.enum(linkedApps).default("app").describe("Where the link leads: the dashboard, or the partners' pages."),
  })
  .openapi("VerificationRequest");

export const sendVerification = endpoint({
  route: createRoute({
    method: "post",
    path: "/send-verification",
    operationId: "sendVerification",
    tags: ["Sign-in"],
    summary: "Mail a verification link",
    description:
      "Mails a link to the address of your account, up to 5 an hour. Earlier links stay valid. Nothing is mailed to an address that is already verified. Refused if the service sends no mail.",
    ...withJsonBody(signedIn()),
    request: { body: body(VerificationRequest) },
    responses: {
      ...done("A link is on its way. It works within 24 hours."),
      ...refusals([...sessionWriteRefusals, ...inputRefusals, "no_mail"]),
    },
  }),
  handler: async (c) => {
    if (!verifiesAddresses(c)) return refuse(c, { code: "no_mail" });
    const userId = c.get("userId");
    const found = await readFromDatabase(c, "home", (database) => findAccount(database, userId));
    if (!found.ok) return refuse(c, found.refusal);
    if (found.value === undefined) return refuse(c, { code: "no_session" });
    const { email, emailVerified } = found.value;
    if (emailVerified) return c.json(success, 200);
    const overLimit = await countMail(c, "verify_address", email);
    if (overLimit !== undefined) return refuse(c, overLimit);
    const link = await addressLink(c, email, c.req.valid("json").app);
    if (link === undefined) return refuse(c, { code: "no_mail" });
    const { at } = c.get("call");
    const mailed = await readFromDatabase(c, "home", (database) => mailVerification(database, userId, link, at));
    if (!mailed.ok) return refuse(c, mailed.refusal);
    sendMails(c, "home");
    return c.json(success, 200);
  },
});
