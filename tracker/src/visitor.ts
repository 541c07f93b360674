import { programId } from "./config.ts";
import { day, erase, read, write } from "./store.ts";

export const isClickId = (value: string): boolean => /^[\w-]{1,96}$/.test(value);

/** The partner of the last click. Another program's script on the same site may have stored its own. */
export const partnerCode = (): string | undefined => (read("svc_aff", `${programId}\\.[\\w-]+`) || "").split(".")[1];

export const clickId = (): string | undefined => partnerCode() && read("svc_click_id", "[\\w-]{1,96}");

export const clickIds = (): string[] => ((partnerCode() && read("svc_click_ids")) || "").split(".").filter(isClickId);

/** "svc_recent" expires after 24 hours. */
export const isRecent = (code: string) => clickId() && partnerCode() === code && read("svc_recent");

export function remember(click: string, code: string | undefined, seconds: number): void {
  const earlier = clickIds().filter((id) => id !== click);
  write("svc_click_ids", [...earlier, click].slice(-20).join("."), seconds);
  write("svc_click_id", click, seconds);
  write("svc_aff", `${programId}.${code}`, seconds);
  write("svc_recent", "1", day);
}

export const forget = (): void => ["svc_click_ids", "svc_click_id", "svc_aff", "svc_recent"].forEach(erase);
