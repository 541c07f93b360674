import { nameInText } from "../../named-by-code.ts";
import { environment, forwardClick, type SnippetContext, scriptTag, serverCalls } from "./snippets.ts";

/** A text to paste into an email for the developer who integrates the program. It contains no key. */
export function instructionsFor(program: SnippetContext & { readonly name: string }): string {
  const { base, name } = program;
  return `Integrate Tributary for ${nameInText(name)}

Tributary tracks which partner sent us a customer. It needs a script on our pages and three calls from our server.

1. Add this to the <head> of every page that visitors can land on:

${scriptTag(program)}

2. Add a hidden field named click_id to the sign-up form, and fill it in when the form is sent:

${forwardClick}

3. Set two variables on the server. I'll send you the API key separately. It must never be in a page or a repository.

${environment(base)}

4. Report each sign-up, payment and refund from the server. A call that is sent twice counts once.

${serverCalls.curl(program)}
There is an SDK for Node, with helpers for Stripe, Paddle, Lemon Squeezy and Polar: ${base}/docs/guides/sdk/

5. Open our site through a partner link, sign up, and buy something small. It counts as a real sale, and Setup offers to
   reject its commission. Setup shows each event as it arrives.

Guides: ${base}/docs/guides/integration/
API reference: ${base}/docs
`;
}
