// What the pages use of htm.
declare const htm: { bind(h: (...args: any[]) => any): (strings: TemplateStringsArray, ...values: any[]) => any };
export default htm;
