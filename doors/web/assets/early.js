// Applies the chosen theme before anything is drawn. It is not a module, because modules run after the first paint.
try {
  const theme = new URLSearchParams(location.search).get('theme') || localStorage.getItem('tengen.theme');
  if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the page follows the system.
}
