import { withAsciiDomain } from "./email.ts";

/** The pattern of Zod's `email`, except that the top-level domain may also be an A-label (`xn--…`). */
const emailForm =
  /^(?!\.)(?!.*\.\.)[A-Za-z0-9_'+\-.]*[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9-]*\.)+([A-Za-z]{2,}|xn--[A-Za-z0-9-]+)$/;

export const isEmail = (text: string): boolean => {
  const ascii = withAsciiDomain(text);
  return ascii.length <= 255 && emailForm.test(ascii);
};
