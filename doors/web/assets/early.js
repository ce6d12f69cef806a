// The theme that was chosen last, before anything is drawn. It is no module, because modules run after the first picture.
try {
  const theme = new URLSearchParams(location.search).get('theme') || localStorage.getItem('tengen.theme');
  if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the page follows the system.
}
