import type { Failure } from "../api/failure.ts";
import { limitText } from "../partner/pages/claims/limit-text.ts";
import { waitText } from "../wait-text.ts";
import { isFramed } from "./host.ts";

interface Said {
  readonly title: string;
  readonly text: string;
}

const unreachable = {
  title: "Can't reach the referral program",
  text: "Your links keep working. This page retries automatically.",
};

/** Returns a message that says why the page shows no figures, and what to do. */
export function whyNothing({ status, code, isOutage, retryAfterSeconds }: Failure): Said {
  if (status === 429) {
    return { title: "Too many requests", text: `This page tries again in ${retryAfterSeconds ?? 60} seconds.` };
  }
  if (isOutage) return unreachable;
  if (status === 401 && !isFramed) {
    return { title: "Open this page in the app", text: "It shows your own links, so it needs to know who you are." };
  }
  if (code === "no_token") {
    return { title: "You aren't signed in here", text: "Your sign-in didn't reach this page. Reload the page." };
  }
  if (status === 401) return { title: "Your access has ended", text: "Reload the page to continue." };
  return { title: "Something went wrong", text: "Reload the page to continue." };
}

const codeRule =
  "Use 2 to 64 letters, digits, hyphens or underscores, with a letter or digit at each end. A word such as null or undefined can't be a code.";

/** Returns a message that says why a link wasn't created. */
export function whyNoLink(failure: Failure): string {
  const { status, code, fieldErrors, isOutage, retryAfterSeconds } = failure;
  if (status === 429) return `You have tried too often. Try again in ${waitText(retryAfterSeconds ?? 60)}.`;
  if (isOutage) return "Can't reach the referral program. Try again in a moment.";
  if (code === "inactive") return "The referral program is paused, so no links can be created.";
  if (code === "code_taken") return "This code is taken. Choose another one.";
  if (code === "links_full") return "You have created as many codes as you can.";
  if (fieldErrors.some(({ path }) => path === "code")) return codeRule;
  return whyNothing(failure).title;
}

/** Returns a message that says why a missing sale wasn't reported. */
export function whyNoClaim(failure: Failure): string {
  const { status, code, isOutage, message } = failure;
  if (status === 429) return limitText(failure);
  if (isOutage) return "Can't reach the referral program. Try again in a moment.";
  if (code === "inactive") return "The referral program is paused, so no sales can be reported.";
  if (code === "claims_full") return "Too many reports are waiting for an answer. Try again later.";
  return status === 400 ? message : whyNothing(failure).title;
}
