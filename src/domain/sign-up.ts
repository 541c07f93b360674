/** With `invited`, a new account needs an invitation or a sign-up token. */
export const signUpModes = ["open", "invited"] as const;
export type SignUpMode = (typeof signUpModes)[number];

export const isSignUpMode = (text: string | undefined): text is SignUpMode => signUpModes.some((mode) => mode === text);
