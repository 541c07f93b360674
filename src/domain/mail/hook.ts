const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Undefined: the settings are good, or there are none. */
export function mailHookFault(url = "", secret = ""): string | undefined {
  if (!url) return undefined;
  const { protocol, hostname = "" } = URL.parse(url) ?? {};
  const isGood = protocol === "https:" || (protocol === "http:" && loopback.test(hostname));
  if (!isGood) return "MAIL_HOOK is no https URL";
  return secret.length < 32 ? "MAIL_HOOK needs a MAIL_HOOK_SECRET of 32 characters" : undefined;
}
