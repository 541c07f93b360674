/** The website of the sample program that `npm start` creates. RFC 2606 reserves `.example`, so no real shop has it. */
export const sampleWebsiteUrl = "https://sample-shop.example";

export const isSampleProgram = ({ websiteUrl }: { readonly websiteUrl: string | null }): boolean =>
  websiteUrl === sampleWebsiteUrl;
