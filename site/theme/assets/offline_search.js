// Search from file://. Browsers let a page of a local file neither fetch another file nor start a worker. A script element
// and a frame of the page's own are allowed: the index comes as a script, which calls gigaSearchIndex, and the worker's
// script runs in a frame that has nothing else in it. Over http nothing here happens.
var __search = window.__search;  // the theme reads it by this name
if (location.protocol === "file:") {
  const here = document.currentScript.src;
  __search = {
    index: new Promise((resolve, reject) => {
      window.gigaSearchIndex = resolve;
      const script = document.createElement("script");
      script.src = new URL("../search/search_index.js", here).href;
      script.onerror = () => reject(new Error("no search index"));
      document.head.append(script);
    }),
  };

  // As much of a worker as the theme uses: messages to it and from it, in the order in which they were sent.
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "search";
      const address = new URL(url, location.href).href;
      this.started = new Promise(resolve => {
        frame.addEventListener("load", () => {
          const inside = frame.contentWindow;
          if (inside.gigaStarted) return;
          inside.gigaStarted = true;
          inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", {data}));
          const script = inside.document.createElement("script");
          script.src = address;
          script.addEventListener("load", () => resolve(inside));
          inside.document.head.append(script);
        });
      });
      document.addEventListener("DOMContentLoaded", () => document.body.append(frame), {once: true});
      if (document.readyState !== "loading") document.body.append(frame);
    }

    postMessage(data) {
      this.started.then(inside => inside.dispatchEvent(new inside.MessageEvent("message", {data})));
    }
  };
}
