import Stripe from "stripe";
import { Tributary } from "tributary-sdk";

const setting = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name} in .env.local`);
  return value;
};

export const stripe = new Stripe(setting("STRIPE_SECRET_KEY"));
export const webhookSecret = setting("STRIPE_WEBHOOK_SECRET");
export const programId = setting("NEXT_PUBLIC_TRIBUTARY_PROGRAM_ID");
/** Stripe's test payments count like real ones: the program is for staging alone. */
export const staging = process.env.TRIBUTARY_STAGING === "1";
export const tributary = new Tributary({
  apiKey: setting("TRIBUTARY_API_KEY"),
  baseUrl: setting("NEXT_PUBLIC_TRIBUTARY_URL"),
});
