import Stripe from "stripe";
import { Tributary } from "tributary-sdk";

const setting = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name} in .env.local`);
  return value;
};

const open = () => ({
  stripe: new Stripe(setting("STRIPE_SECRET_KEY")),
  webhookSecret: setting("STRIPE_WEBHOOK_SECRET"),
  programId: setting("NEXT_PUBLIC_TRIBUTARY_PROGRAM_ID"),
  /** True records Stripe's test payments like real ones, for a program that is used only for staging. */
  staging: process.env.TRIBUTARY_STAGING === "1",
  tributary: new Tributary({
    apiKey: setting("TRIBUTARY_API_KEY"),
    baseUrl: setting("NEXT_PUBLIC_TRIBUTARY_URL"),
  }),
});

let opened: ReturnType<typeof open> | undefined;

/** Created by the first request, because `next build` has no secrets. */
export const shop = () => {
  opened ??= open();
  return opened;
};
