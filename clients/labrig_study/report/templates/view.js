(() => {
  const live = document.querySelectorAll("[data-live]");
  if (live.length) {
    let busy = false;
    new EventSource(`/events?since=${live[0].dataset.live}`).onmessage = async () => {
      if (busy) return;
      busy = true;
      try {
        const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
        live.forEach((each) => { const fresh = page.getElementById(each.id); if (fresh) each.replaceChildren(...fresh.childNodes); });
      } catch { /* the server has ended: what is shown stays */ } finally { busy = false; }
    };
  }
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
    const link = document.querySelector(`a[data-key="${CSS.escape(event.key)}"]`);
    if (link) link.click();
  });
})();
