import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "#http/context.ts";
import { changePassword } from "./change-password.ts";
import { confirmTotp } from "./confirm-totp.ts";
import { deleteUser } from "./delete-user.ts";
import { forgotPassword } from "./forgot-password.ts";
import { getSession } from "./get-session.ts";
import { getSignUp } from "./get-sign-up.ts";
import { listActivity } from "./list-activity.ts";
import { listSessions } from "./list-sessions.ts";
import { reauthenticate } from "./reauthenticate.ts";
import { resetPassword } from "./reset-password.ts";
import { revokeOtherSessions } from "./revoke-other-sessions.ts";
import { revokeSession } from "./revoke-session.ts";
import { sendVerification } from "./send-verification.ts";
import { signIn } from "./sign-in.ts";
import { signInWithCode } from "./sign-in-with-code.ts";
import { signOut } from "./sign-out.ts";
import { signUp } from "./sign-up.ts";
import { startTotp } from "./start-totp.ts";
import { turnOffTotp } from "./turn-off-totp.ts";
import { updateUser } from "./update-user.ts";
import { verifyEmail } from "./verify-email.ts";

const access = [
  getSignUp,
  signUp,
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
const secondFactor = [startTotp, confirmTotp, turnOffTotp] as const;

export const auth = new OpenAPIHono<AppEnv>().openapiRoutes([
  ...access,
  ...account,
  ...sessions,
  ...secondFactor,
] as const);
