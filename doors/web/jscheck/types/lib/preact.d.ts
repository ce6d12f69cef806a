// What the pages use of preact.
export const h: (...args: any[]) => any;
export function render(what: any, where: Element): void;
export const Fragment: any;
export class Component {
  props: any;
  state: any;
  setState(changes: any): void;
}
