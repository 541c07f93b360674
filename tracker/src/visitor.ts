import { programId } from "./config.ts";
import { day, read, write } from "./store.ts";

export const clickId = (): string | undefined => partnerCode() && read("svc_click_id", "[\\w-]{1,96}");

export const isClickId = (value: string): boolean => /^[\w-]{1,96}$/.test(value);

export const clickIds = (): string[] => ((partnerCode() && read("svc_click_ids")) || "").split(".").filter(isClickId);

export const remember = (click: string, code: string | undefined, seconds: number): void => {
  write(
    "svc_click_ids",
    clickIds()
      .filter((id) => id !== click)
      .concat(click)
      .slice(-20)
      .join("."),
    seconds,
  );
  write("svc_click_id", click, seconds);
  write("svc_aff", `${programId}.${code}`, seconds);
  write("svc_recent", "1", day);
};

/**
 * The code of the partner whose link was clicked last. Ignores a value stored by another program's script on the same
 * site.
 */
export const partnerCode = (): string | undefined => read("svc_aff", `${programId}\\.([\\w-]+)`);
