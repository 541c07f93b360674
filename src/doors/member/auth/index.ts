import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "#http/context.ts";
import { deleteUser, listActivity, updateUser } from "./account.ts";
import { reauthenticate } from "./confirm-identity.ts";
import { beginConfirmation, beginLink, deleteIdentity, getIdentity } from "./identities.ts";
import { beginOidc, beginOidcInvited, endOidc } from "./oidc.ts";
import { changePassword, forgotPassword, resetPassword } from "./passwords.ts";
import { getSession, listSessions, revokeOtherSessions, revokeSession, signOut } from "./sessions.ts";
import { signIn, signInWithCode } from "./sign-in.ts";
import { checkSignUpToken, getSignUp, sendVerification, signUp, verifyEmail } from "./sign-up.ts";
import { confirmTotp, getTotp, replaceCodes, startTotp, turnOffTotp } from "./totp.ts";

const access = [
  getSignUp,
  signUp,
  checkSignUpToken,
  signIn,
  signInWithCode,
  signOut,
  forgotPassword,
  resetPassword,
  verifyEmail,
] as const;
const account = [
  getSession,
  updateUser,
  deleteUser,
  changePassword,
  reauthenticate,
  listActivity,
  sendVerification,
] as const;
const sessions = [listSessions, revokeSession, revokeOtherSessions] as const;
const identityProvider = [
  beginOidc,
  beginOidcInvited,
  endOidc,
  beginLink,
  beginConfirmation,
  getIdentity,
  deleteIdentity,
] as const;
const secondFactor = [getTotp, startTotp, confirmTotp, replaceCodes, turnOffTotp] as const;

export const auth = new OpenAPIHono<AppEnv>().openapiRoutes([
  ...access,
  ...account,
  ...sessions,
  ...secondFactor,
  ...identityProvider,
] as const);
