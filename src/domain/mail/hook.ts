import { isPrivateUrl } from "../loopback.ts";

export const isMailHook = (text: string): boolean => isPrivateUrl(URL.parse(text));
